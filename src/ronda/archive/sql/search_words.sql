-- Of a page, what was fetched here goes before what somebody imported.
-- Pages whose text has these words, a row a URL, best first. Words are looked up in the language of each text: one search
-- a dictionary, so that the index alone tells what matches, and no text is read for it. Of very common words only the
-- newest texts are ranked: ranking reads all words of each. LATERAL with a LIMIT has captures looked up text by text from
-- the newest on, until there are enough.
WITH matching AS (
    SELECT id, digest FROM archive_text
     WHERE dictionary = 'spanish' AND words @@ websearch_to_tsquery('spanish', %(words)s)
    UNION ALL
    SELECT id, digest FROM archive_text
     WHERE dictionary = 'english' AND words @@ websearch_to_tsquery('english', %(words)s)
    UNION ALL
    SELECT id, digest FROM archive_text
     WHERE dictionary = 'simple' AND words @@ websearch_to_tsquery('simple', %(words)s)
), candidates AS MATERIALIZED (
    SELECT t.id
      FROM matching t
     CROSS JOIN LATERAL (SELECT FROM archive_capture c WHERE c.digest = t.digest AND {captures} LIMIT 1) held
     ORDER BY t.id DESC
     LIMIT %(most_texts)s
), ranked AS MATERIALIZED (
    SELECT t.id, t.digest, ts_rank(t.words, websearch_to_tsquery(t.dictionary::regconfig, %(words)s), 1) AS rank
      FROM candidates JOIN archive_text t USING (id)
), pages AS (
    SELECT c.urlkey, max(r.rank) AS rank, count(*) AS versions, max(c.fetched_at) AS newest_at,
           (array_agg(c.id ORDER BY c.node IS NULL, c.fetched_at DESC))[:%(most_seen)s] AS seen,
           (array_agg(r.id ORDER BY c.node IS NULL, r.rank DESC, c.fetched_at DESC))[1] AS text_id
      FROM ranked r JOIN archive_capture c ON c.digest = r.digest
     WHERE {captures}
     GROUP BY c.urlkey
)
SELECT seen, versions, text_id, count(*) OVER () AS total, (SELECT count(*) FROM candidates) AS texts
  FROM pages
 ORDER BY rank DESC, newest_at DESC, urlkey
OFFSET %(first)s LIMIT %(page_size)s
