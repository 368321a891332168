-- What became of a visit's requests. Only pages that wait hear of it, so that a visit that ended stays as it is.
UPDATE rounds_visitpage page
   SET state = told.state, status = told.status, reason = told.reason, capture_id = told.capture,
       is_unchanged = told.is_unchanged
  FROM unnest(%(digests)s::uuid[], %(states)s::text[], %(statuses)s::smallint[], %(reasons)s::text[],
              %(captures)s::bigint[], %(unchanged)s::boolean[])
    AS told (digest, state, status, reason, capture, is_unchanged)
 WHERE page.visit_id = %(visit)s AND page.url_digest = told.digest AND page.state = 'queued'
