-- Whether an open visit will ask for more in a moment: its answers are being read, or it has just begun.
SELECT EXISTS (
    SELECT 1 FROM rounds_visit visit
     WHERE visit.state <> 'ended'
       AND (EXISTS (SELECT 1 FROM rounds_visitpage page WHERE page.visit_id = visit.id AND page.state = 'answered')
            OR NOT EXISTS (SELECT 1 FROM rounds_visitpage page WHERE page.visit_id = visit.id AND page.state = 'queued')))
