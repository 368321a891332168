-- Pages whose text has these words, a row a URL, best first. Words are looked up in the language of each text. Of very
-- common words only the newest texts are ranked: ranking reads all words of each.
WITH matching AS MATERIALIZED (
    SELECT t.id, t.digest
      FROM archive_text t
     WHERE (t.dictionary = 'spanish' AND t.words @@ websearch_to_tsquery('spanish', %(words)s))
        OR (t.dictionary = 'english' AND t.words @@ websearch_to_tsquery('english', %(words)s))
        OR (t.dictionary = 'simple' AND t.words @@ websearch_to_tsquery('simple', %(words)s))
), candidates AS MATERIALIZED (
    SELECT m.id
      FROM matching m
     WHERE EXISTS (SELECT FROM archive_capture c WHERE c.digest = m.digest AND {captures})
     ORDER BY m.id DESC
     LIMIT %(most_texts)s
), ranked AS MATERIALIZED (
    SELECT t.id, t.digest, ts_rank(t.words, websearch_to_tsquery(t.dictionary::regconfig, %(words)s), 1) AS rank
      FROM candidates JOIN archive_text t USING (id)
), pages AS (
    SELECT c.urlkey, max(r.rank) AS rank, count(*) AS versions, max(c.fetched_at) AS newest_at,
           (array_agg(c.id ORDER BY c.fetched_at DESC))[:%(most_seen)s] AS seen,
           (array_agg(r.id ORDER BY r.rank DESC, c.fetched_at DESC))[1] AS text_id
      FROM ranked r JOIN archive_capture c ON c.digest = r.digest
     WHERE {captures}
     GROUP BY c.urlkey
)
SELECT seen, versions, text_id, count(*) OVER () AS total, (SELECT count(*) FROM candidates) AS texts
  FROM pages
 ORDER BY rank DESC, newest_at DESC, urlkey
OFFSET %(first)s LIMIT %(page_size)s
