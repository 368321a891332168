-- What a visit has come to, as far as it matters for what it takes next: of these URLs those it has had, how many pages
-- of each role and of each pattern, and its entry pages. What it left does not count, and may be nearer another way.
SELECT ARRAY(SELECT page.url FROM rounds_visitpage page
              WHERE page.visit_id = %(visit)s AND page.url_digest = ANY (%(digests)s) AND page.state <> 'left'),
       (SELECT coalesce(jsonb_object_agg(counted.role, counted.number), '{}')
          FROM (SELECT page.role, count(*) AS number FROM rounds_visitpage page
                 WHERE page.visit_id = %(visit)s AND page.state <> 'left' GROUP BY page.role) counted),
       (SELECT coalesce(jsonb_object_agg(counted.pattern, counted.number), '{}')
          FROM (SELECT page.pattern, count(*) AS number FROM rounds_visitpage page
                 WHERE page.visit_id = %(visit)s AND page.state <> 'left' AND page.pattern IS NOT NULL
                 GROUP BY page.pattern) counted),
       ARRAY(SELECT page.url FROM rounds_visitpage page
              WHERE page.visit_id = %(visit)s AND page.role = 'entry' ORDER BY page.id)
