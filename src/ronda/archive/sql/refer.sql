-- Which capture has the payload of each revisit among these rows: of that URL and digest, the nearest to that time.
-- A revisit that the server wrote refers within its source. An imported one says what it likes: it reaches no further
-- than its collection, and nothing that was withdrawn by then, or it would open what its importer may not see.
-- A digest in another notation than ours is taken for that of the capture found at that very time.
WITH c AS (
    SELECT * FROM json_to_recordset(%(rows)s::json)
        AS c ("offset" bigint, is_revisit boolean, claimed text, refers_digest uuid, refers_at timestamptz)
), meant AS (
    SELECT mine.id, target.id AS target, target.digest, target.status, target.mime
      FROM c
      JOIN archive_capture mine ON mine.file_id = %(file)s AND mine."offset" = %(start)s + c."offset"
      LEFT JOIN LATERAL (
           SELECT t.id, t.digest, t.status, t.mime
             FROM archive_capture t
            WHERE c.is_revisit
              AND t.url_digest = c.refers_digest
              AND t.refers_to_id IS NULL
              AND CASE WHEN %(is_import)s
                       THEN t.collection_id = mine.collection_id
                            AND (t.voided_at IS NULL OR t.voided_at > %(at)s)
                            AND (t.forgotten_at IS NULL OR t.forgotten_at > %(at)s)
                       ELSE t.source = mine.source END
              AND NOT EXISTS (SELECT FROM c other
                               WHERE other.is_revisit AND t.file_id = %(file)s
                                 AND t."offset" = %(start)s + other."offset")
              AND (t.digest = c.claimed OR c.claimed NOT LIKE 'sha256:%%' AND t.fetched_at = c.refers_at)
            ORDER BY abs(extract(epoch FROM t.fetched_at - c.refers_at)), t.id
            LIMIT 1) target ON true
     WHERE CASE WHEN c.is_revisit THEN mine.refers_to_id IS NULL ELSE mine.refers_to_id IS NOT NULL END
)
UPDATE archive_capture c
   SET refers_to_id = meant.target,
       digest = COALESCE(meant.digest, c.digest),
       status = CASE WHEN c.status = 0 THEN COALESCE(meant.status, 0) ELSE c.status END,
       mime = CASE WHEN c.status = 0 THEN COALESCE(meant.mime, '') ELSE c.mime END
  FROM meant
 WHERE c.id = meant.id
