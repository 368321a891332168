-- Add to the rows of one node for this minute, always in the order of outcomes.
INSERT INTO grid_minutecount AS c (minute, node_id, outcome, urls, size_bytes)
SELECT date_trunc('minute', now()), %(node)s::uuid, outcome, urls, size_bytes
  FROM unnest(%(outcomes)s::text[], %(urls)s::int[], %(sizes)s::bigint[]) AS given (outcome, urls, size_bytes)
 ORDER BY outcome
ON CONFLICT (minute, node_id, outcome)
DO UPDATE SET urls = c.urls + excluded.urls, size_bytes = c.size_bytes + excluded.size_bytes
