-- Say again of what one withdrawal spoke, where the index does not say so yet; with the voided goes what refers to them.
WITH meant AS (
    SELECT c.id
      FROM json_to_recordset(%(pieces)s::json) AS p (file text, first bigint, last bigint)
      JOIN archive_warcfile f ON f.name = p.file
      JOIN archive_capture c ON c.file_id = f.id AND c."offset" BETWEEN p.first AND p.last
     WHERE (%(node)s::uuid IS NULL OR c.node = %(node)s) AND (%(visit)s::bigint IS NULL OR c.visit = %(visit)s)
       AND (%(source)s::uuid IS NULL OR c.source = %(source)s)
)
UPDATE archive_capture c
   SET voided_at = CASE WHEN %(is_voided)s THEN COALESCE(c.voided_at, %(at)s) ELSE c.voided_at END,
       forgotten_at = CASE WHEN %(is_voided)s THEN c.forgotten_at ELSE COALESCE(c.forgotten_at, %(at)s) END
 WHERE (c.id IN (SELECT id FROM meant) OR %(is_voided)s AND c.refers_to_id IN (SELECT id FROM meant))
   AND CASE WHEN %(is_voided)s THEN c.voided_at ELSE c.forgotten_at END IS NULL
