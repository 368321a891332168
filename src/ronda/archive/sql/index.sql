-- Index captures that were appended to a file, given as JSON: a third of the time that a value each takes.
-- Their ids are drawn first, so that one may refer to another that came with it (by its offset).
WITH given AS MATERIALIZED (
    SELECT nextval(pg_get_serial_sequence('archive_capture', 'id')) AS id, c.*
      FROM json_to_recordset(%(captures)s::json)
        AS c (url text, url_digest uuid, urlkey text, fetched_at timestamptz, status smallint, mime text, digest text,
              address text, truncated text, "offset" bigint, length bigint, response_length bigint, payload_bytes bigint,
              refers_to bigint, refers_to_offset bigint, collection bigint, source uuid, visit bigint,
              is_text_due boolean)
)
INSERT INTO archive_capture
       (id, url, url_digest, urlkey, fetched_at, status, mime, digest, address, truncated, file_id, "offset", length,
        response_length, payload_bytes, refers_to_id, collection_id, source, visit, is_text_due, node, owner)
SELECT c.id, c.url, c.url_digest, c.urlkey, c.fetched_at, c.status, c.mime, c.digest, c.address, c.truncated,
       %(file)s, %(start)s + c."offset", c.length, c.response_length, c.payload_bytes, coalesce(c.refers_to, held.id),
       c.collection, c.source, c.visit, c.is_text_due, %(node)s, %(owner)s
  FROM given c LEFT JOIN given held ON held."offset" = c.refers_to_offset
RETURNING "offset" - %(start)s, id
