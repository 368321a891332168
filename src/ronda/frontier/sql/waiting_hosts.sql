-- Some hosts with all that says why they wait, the longest queue first.
SELECT now(), h.name, h.queued, h.blocked_reason, h.backoff_until, h.ready_at,
       held.until IS NOT NULL, held.until, held.is_lost,
       CASE WHEN gate.holders >= %(hosts_per_address)s * (1 + g.size / 50) THEN gate.until END, h.robots_state,
       coalesce(h.delay_seconds,
                least(%(cap_seconds)s::float,
                      greatest(%(floor_seconds)s::float, coalesce(h.crawl_delay_seconds, 0), coalesce(h.learned_delay_seconds, 0),
                               %(latency_factor)s::float * coalesce(h.latency_seconds, 0))))
  FROM frontier_host h
  LEFT JOIN frontier_ipgroup g ON g.id = h.ip_group_id
  LEFT JOIN LATERAL (SELECT max(l.expires_at) FILTER (WHERE l.expires_at > now()) AS until,
                            coalesce(bool_or(l.expires_at <= now()), false) AS is_lost
                       FROM frontier_lease l WHERE l.host_id = h.id AND NOT l.is_over) held ON true
  -- Those who fell silent keep its places until their hosts are free.
  LEFT JOIN LATERAL (SELECT count(*) AS holders,
                            min(CASE WHEN l.expires_at > now() THEN l.expires_at ELSE other.ready_at END) AS until
                       FROM frontier_lease l JOIN frontier_host other ON other.id = l.host_id
                      WHERE l.ip_group_id = g.id AND NOT l.is_over
                        AND (l.expires_at > now() OR other.ready_at > now())) gate ON true
 WHERE h.id = ANY (%(ids)s::bigint[])
 ORDER BY h.queued DESC, h.id
