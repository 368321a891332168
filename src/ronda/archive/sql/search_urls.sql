-- What was fetched here goes before what somebody imported.
-- Captures by URL alone, a row a URL, in the order of the index; counted as far as anybody reads.
WITH pages AS (
    SELECT c.urlkey, count(*) AS versions,
           (array_agg(c.id ORDER BY c.node IS NULL, c.fetched_at DESC))[:%(most_seen)s] AS seen
      FROM archive_capture c
     WHERE {captures}
     GROUP BY c.urlkey
     ORDER BY c.urlkey
     LIMIT %(most_pages)s
)
SELECT seen, versions, NULL AS text_id, count(*) OVER () AS total, 0 AS texts
  FROM pages
 ORDER BY urlkey
OFFSET %(first)s LIMIT %(page_size)s
