-- Of what a visit left out, these URLs are taken after all: why they were left, and how many others still are.
WITH again AS (
    DELETE FROM rounds_visitpage page
     WHERE page.visit_id = %(visit)s AND page.state = 'left' AND page.url_digest = ANY (%(digests)s)
    RETURNING page.reason
)
SELECT ARRAY(SELECT reason FROM again),
       (SELECT count(*) FROM rounds_visitpage page WHERE page.visit_id = %(visit)s AND page.state = 'left')
       - (SELECT count(*) FROM again)
