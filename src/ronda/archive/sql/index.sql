-- Index captures that were appended to a file, given as JSON: a third of the time that a value each takes.
INSERT INTO archive_capture
       (url, url_digest, fetched_at, status, mime, digest, address, truncated, file_id, "offset", length, response_length,
        node, owner)
SELECT c.url, c.url_digest, c.fetched_at, c.status, c.mime, c.digest, c.address, c.truncated,
       %(file)s, %(start)s + c."offset", c.length, c.response_length, %(node)s, %(owner)s
  FROM json_to_recordset(%(captures)s::json)
    AS c (url text, url_digest uuid, fetched_at timestamptz, status smallint, mime text, digest text, address text,
          truncated text, "offset" bigint, length bigint, response_length bigint)
RETURNING "offset" - %(start)s, id
