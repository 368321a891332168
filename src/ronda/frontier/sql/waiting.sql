-- The whole frontier in one row: hosts with work, of them due, of them resting, URLs queued, and the polite ceiling.
SELECT count(*), count(*) FILTER (WHERE due_at <= now()), count(*) FILTER (WHERE backoff_until > now()),
       coalesce(sum(queued), 0)::bigint,
       coalesce(sum(CASE WHEN is_delay_per_node THEN max_nodes ELSE 1 END / greatest(0.01, pace))
                FILTER (WHERE backoff_until IS NULL OR backoff_until <= now()), 0)::float
  FROM (SELECT h.due_at, h.backoff_until, h.queued, h.is_delay_per_node, h.max_nodes,
               coalesce(h.delay_seconds,
                        least(%(cap_seconds)s::float,
                              greatest(%(floor_seconds)s::float, coalesce(h.crawl_delay_seconds, 0), coalesce(h.learned_delay_seconds, 0),
                                       %(latency_factor)s::float * coalesce(h.latency_seconds, 0)))) AS pace
          FROM frontier_host h WHERE h.has_work AND h.blocked_reason = '') hosts
