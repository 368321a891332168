-- Bring rows of one file into line with its records, given as JSON. Rows that are right are not written.
-- A source may have moved since: its captures are not to be seen in the old collection until that is read, too.
-- The digest of a revisit, and where it has no head its status and type, are those of what it refers to.
INSERT INTO archive_capture AS old
       (url, url_digest, urlkey, fetched_at, status, mime, digest, address, truncated, file_id, "offset", length,
        response_length, payload_bytes, collection_id, source, visit, is_text_due, node, owner)
SELECT c.url, c.url_digest, c.urlkey, c.fetched_at, c.status, c.mime, c.digest, c.address, c.truncated, %(file)s,
       %(start)s + c."offset", c.length, c.response_length, c.payload_bytes, c.collection, c.source, c.visit, c.is_text_due,
       %(node)s, %(owner)s
  FROM json_to_recordset(%(rows)s::json)
    AS c (url text, url_digest uuid, urlkey text, fetched_at timestamptz, status smallint, mime text, digest text,
          address text, truncated text, "offset" bigint, length bigint, response_length bigint,
          payload_bytes bigint, collection bigint, source uuid, visit bigint, is_text_due boolean)
    ON CONFLICT (file_id, "offset") DO UPDATE
   SET url = EXCLUDED.url, url_digest = EXCLUDED.url_digest, urlkey = EXCLUDED.urlkey,
       fetched_at = EXCLUDED.fetched_at,
       status = CASE WHEN EXCLUDED.status = 0 THEN old.status ELSE EXCLUDED.status END,
       mime = CASE WHEN EXCLUDED.status = 0 THEN old.mime ELSE EXCLUDED.mime END,
       digest = CASE WHEN old.refers_to_id IS NULL THEN EXCLUDED.digest ELSE old.digest END,
       address = EXCLUDED.address, truncated = EXCLUDED.truncated, length = EXCLUDED.length,
       response_length = EXCLUDED.response_length, payload_bytes = EXCLUDED.payload_bytes, source = EXCLUDED.source,
       collection_id = CASE WHEN old.source = EXCLUDED.source THEN old.collection_id ELSE EXCLUDED.collection_id END,
       visit = EXCLUDED.visit, node = EXCLUDED.node, owner = EXCLUDED.owner
 WHERE (old.url, old.urlkey, old.fetched_at, old.address, old.truncated, old.length, old.response_length,
        old.payload_bytes, old.collection_id, old.source, old.visit, old.node, old.owner)
       IS DISTINCT FROM
       (EXCLUDED.url, EXCLUDED.urlkey, EXCLUDED.fetched_at, EXCLUDED.address, EXCLUDED.truncated, EXCLUDED.length,
        EXCLUDED.response_length, EXCLUDED.payload_bytes, EXCLUDED.collection_id, EXCLUDED.source, EXCLUDED.visit, EXCLUDED.node,
        EXCLUDED.owner)
    OR EXCLUDED.status <> 0 AND (old.status, old.mime) IS DISTINCT FROM (EXCLUDED.status, EXCLUDED.mime)
    OR old.refers_to_id IS NULL AND old.digest <> EXCLUDED.digest
