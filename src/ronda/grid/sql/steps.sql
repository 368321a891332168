-- Answered, failed and refused URLs and bytes, step by step since a moment, of one node or of all (no node).
SELECT date_bin(make_interval(secs => %(step_seconds)s), minute, %(start)s::timestamptz) AS at,
       coalesce(sum(urls) FILTER (WHERE outcome = ANY (%(classes)s::text[])), 0)::bigint,
       coalesce(sum(urls) FILTER (WHERE outcome <> ALL (%(classes)s::text[]) AND outcome <> 'refused'), 0)::bigint,
       coalesce(sum(urls) FILTER (WHERE outcome = 'refused'), 0)::bigint,
       sum(size_bytes)::bigint
  FROM grid_minutecount
 WHERE minute >= %(start)s::timestamptz AND (%(node)s::uuid IS NULL OR node_id = %(node)s::uuid)
 GROUP BY at
