-- Whether an open visit waits for a step: answers to read, nothing left to wait for, cancelled, or out of time.
SELECT EXISTS (
    SELECT 1 FROM rounds_visit visit JOIN rounds_source source ON source.id = visit.source_id
     WHERE visit.id = %(visit)s AND visit.state <> 'ended' AND source.visitor = %(visitor)s
       AND (visit.is_to_be_cancelled
            OR coalesce(visit.capture_began_at, visit.opened_at) + make_interval(secs => source.max_seconds) < %(now)s
            OR NOT EXISTS (SELECT 1 FROM rounds_visitpage page WHERE page.visit_id = visit.id AND page.state = 'queued')
            OR (visit.state = 'capturing'
                AND EXISTS (SELECT 1 FROM rounds_visitpage page
                             WHERE page.visit_id = visit.id AND page.state = 'answered'))))
