-- The hosts with the most URLs waiting, with all that says why.
SELECT now(), h.name, h.queued, h.blocked_reason, h.backoff_until, h.ready_at,
       held.until IS NOT NULL, held.until, g.ready_at, h.robots_state,
       coalesce(h.delay_seconds,
                least(%(cap_seconds)s::float,
                      greatest(%(floor_seconds)s::float, coalesce(h.crawl_delay_seconds, 0),
                               %(latency_factor)s::float * coalesce(h.latency_seconds, 0))))
  FROM (SELECT id FROM frontier_host WHERE has_work ORDER BY queued DESC, id LIMIT %(count)s) longest
  JOIN frontier_host h USING (id)
  LEFT JOIN frontier_ipgroup g ON g.id = h.ip_group_id
  LEFT JOIN LATERAL (SELECT max(l.expires_at) AS until FROM frontier_lease l
                      WHERE l.host_id = h.id AND l.expires_at > now()) held ON true
 ORDER BY h.queued DESC, h.id
