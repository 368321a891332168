-- Of captures and the URL that was asked for first: the redirects that led from there to them, in order. The steps of one
-- answer stand side by side in their file, brought by one node; what does not lead back to the first URL is left out.
WITH RECURSIVE way AS (
    SELECT c.id AS last_id, wanted.url AS first_url, c.id, c.url, c.file_id, c."offset", c.node, 0 AS back
      FROM unnest(%(captures)s::bigint[], %(urls)s::text[]) AS wanted (capture, url)
      JOIN archive_capture c ON c.id = wanted.capture
     WHERE c.url <> wanted.url
    UNION ALL
    SELECT way.last_id, way.first_url, step.id, step.url, step.file_id, step."offset", step.node, way.back + 1
      FROM way
     CROSS JOIN LATERAL (SELECT * FROM archive_capture c
                          WHERE c.file_id = way.file_id AND c."offset" < way."offset"
                          ORDER BY c."offset" DESC LIMIT 1) AS step
     WHERE way.url <> way.first_url AND way.back < %(most)s
       AND step."offset" + step.length = way."offset" AND step.node IS NOT DISTINCT FROM way.node
       AND step.status BETWEEN 300 AND 399
)
SELECT last_id, id
  FROM way
 WHERE back > 0
   AND last_id IN (SELECT found.last_id FROM way AS found WHERE found.url = found.first_url)
 ORDER BY last_id, back DESC
