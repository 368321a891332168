-- What became of some URLs of a fetch, in the order given.
INSERT INTO grid_fetchanswer (fetch_id, url, state, status, reason, capture_id, node_id, country, answered_at)
SELECT %(fetch)s::uuid, url, state, status, reason, capture_id, node_id, country, now()
  FROM unnest(%(urls)s::text[], %(states)s::text[], %(statuses)s::smallint[], %(reasons)s::text[],
              %(captures)s::bigint[], %(nodes)s::uuid[], %(countries)s::text[])
       WITH ORDINALITY AS given (url, state, status, reason, capture_id, node_id, country, position)
 ORDER BY position
