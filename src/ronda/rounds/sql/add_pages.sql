-- Pages of a visit, as far as it has not had them; in the order they are given.
WITH given AS (
    SELECT * FROM unnest(%(urls)s::text[], %(digests)s::uuid[], %(roles)s::text[], %(states)s::text[], %(reasons)s::text[],
                         %(depths)s::smallint[], %(found_on)s::bigint[], %(patterns)s::uuid[])
             WITH ORDINALITY AS g (url, digest, role, state, reason, depth, found_on, pattern, position)
)
INSERT INTO rounds_visitpage (visit_id, url, url_digest, role, state, reason, depth, found_on_id, pattern, status,
                              is_unchanged)
SELECT %(visit)s, given.url, given.digest, given.role, given.state, given.reason, given.depth, given.found_on,
       given.pattern, 0, false
  FROM given ORDER BY given.position
ON CONFLICT (visit_id, url_digest) DO NOTHING
RETURNING id, url_digest
