-- Gate and reserve: which hosts this node gets now, with which URLs. One call, one transaction; what is locked by
-- another claim is passed over, never waited for.
--
-- A held host's ready_at lies behind the end of its lease plus the guard time (the silent node may still be fetching),
-- so that a lease that is never completed needs nobody to clean up after it: the host simply becomes due again.
CREATE OR REPLACE FUNCTION frontier_claim(
    in_node uuid, in_owner bigint, in_country text, in_block uuid, in_hosts int, in_urls int,
    in_lease_seconds float, in_guard_seconds float, in_busy_seconds float,
    in_floor_seconds float, in_cap_seconds float, in_latency_factor float, in_group_nodes int
) RETURNS TABLE (
    lease_id bigint, host_id bigint, host_name varchar, scheme varchar, is_robots boolean, delay_seconds float,
    request_id bigint, url text, attempts smallint
) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    right_now timestamptz := clock_timestamp();
    lease_end timestamptz := right_now + make_interval(secs => in_lease_seconds);
    hold_end timestamptz := lease_end + make_interval(secs => in_guard_seconds);
    chosen bigint[];
    urls_each float;
BEGIN
    SELECT array_agg(due.id) INTO chosen FROM (
        SELECT h.id FROM frontier_host h
         WHERE h.has_work AND h.blocked_reason = '' AND h.due_at <= right_now
         ORDER BY h.due_at LIMIT in_hosts FOR UPDATE SKIP LOCKED
    ) due;
    IF chosen IS NULL THEN
        RETURN;
    END IF;

    -- Broad before deep: a host waits for its delay after each URL, another host does not.
    urls_each := ceil(in_urls::float / cardinality(chosen));

    -- First what was lost: it may be what closes the second gate.
    PERFORM frontier_end_lost_leases(chosen, right_now - make_interval(secs => in_guard_seconds));

    chosen := frontier_pass_group_gate(chosen, right_now, hold_end, in_group_nodes);

    RETURN QUERY
    WITH hosts AS (
        SELECT h.id, h.name, h.scheme, h.holders, h.max_nodes,
               (h.robots_expires_at IS NULL OR h.robots_expires_at <= right_now) AS needs_robots,
               coalesce(h.delay_seconds,
                        least(in_cap_seconds,
                              greatest(in_floor_seconds, coalesce(h.crawl_delay_seconds, 0),
                                       in_latency_factor * coalesce(h.latency_seconds, 0))))
               * CASE WHEN h.is_delay_per_node THEN 1 ELSE h.max_nodes END AS delay
          FROM frontier_host h WHERE h.id = ANY (chosen)
    ), picked AS (
        SELECT hosts.*, r.id AS request_id, r.url, r.attempts,
               row_number() OVER (ORDER BY r.priority, r.id) AS position
          FROM hosts CROSS JOIN LATERAL (
               SELECT q.id, q.url, q.attempts, q.priority FROM frontier_request q
                WHERE q.host_id = hosts.id AND q.not_before <= right_now
                  AND (q.country = '' OR q.country = in_country)
                  AND (q.not_owners IS NULL OR in_owner <> ALL (q.not_owners))
                  AND (hosts.holders = 0 OR NOT EXISTS (
                       SELECT 1 FROM frontier_lease l
                        WHERE l.host_id = hosts.id AND NOT l.is_over AND q.id = ANY (l.request_ids)))
                ORDER BY q.priority, q.id
                LIMIT CASE WHEN hosts.needs_robots THEN 1 ELSE
                      least(urls_each, greatest(1, floor(in_busy_seconds / greatest(hosts.delay, 0.001))))::int END
               ) r
    ), kept AS (
        SELECT * FROM picked WHERE position <= in_urls
    ), leases AS (
        INSERT INTO frontier_lease (block, node, host_id, request_ids, is_robots, is_over, granted_at, expires_at)
        SELECT in_block, in_node, kept.id,
               CASE WHEN kept.needs_robots THEN '{}' ELSE array_agg(kept.request_id) END,
               kept.needs_robots, false, right_now, lease_end
          FROM kept GROUP BY kept.id, kept.needs_robots
        RETURNING frontier_lease.id, frontier_lease.host_id
    ), held AS (
        UPDATE frontier_host h
           SET holders = h.holders + 1,
               ready_at = CASE WHEN h.holders + 1 >= h.max_nodes OR k.needs_robots THEN hold_end
                               ELSE right_now + make_interval(secs => k.delay) END
          FROM (SELECT DISTINCT kept.id, kept.needs_robots, kept.delay FROM kept) k WHERE h.id = k.id
    ), waiting AS (
        -- Due, but nothing to give: its URLs wait for their own time, or for a node of another
        -- country or person, or there are none.
        UPDATE frontier_host h
           SET ready_at = coalesce(
                   (SELECT greatest(min(q.not_before), right_now + interval '1 second')
                      FROM frontier_request q WHERE q.host_id = h.id), right_now),
               has_work = EXISTS (SELECT 1 FROM frontier_request q WHERE q.host_id = h.id)
         WHERE h.id = ANY (chosen) AND h.id NOT IN (SELECT picked.id FROM picked)
    )
    SELECT leases.id, kept.id, kept.name, kept.scheme, kept.needs_robots, kept.delay::float,
           CASE WHEN kept.needs_robots THEN NULL ELSE kept.request_id END,
           CASE WHEN kept.needs_robots THEN kept.scheme || '://' || kept.name || '/robots.txt' ELSE kept.url END,
           kept.attempts
      FROM kept JOIN leases ON leases.host_id = kept.id
     ORDER BY kept.id, kept.position;
END $$;

-- The second gate: of the chosen hosts, those whose shared address is free too. The others wait for it.
CREATE OR REPLACE FUNCTION frontier_pass_group_gate(
    in_chosen bigint[], in_now timestamptz, in_hold_end timestamptz, in_group_nodes int
) RETURNS bigint[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    passed bigint[];
BEGIN
    IF NOT EXISTS (SELECT 1 FROM frontier_host h WHERE h.id = ANY (in_chosen) AND h.ip_group_id IS NOT NULL) THEN
        RETURN in_chosen;
    END IF;
    PERFORM 1 FROM frontier_ipgroup g
      WHERE g.id IN (SELECT h.ip_group_id FROM frontier_host h WHERE h.id = ANY (in_chosen))
      ORDER BY g.id FOR UPDATE;
    WITH ranked AS (
        SELECT h.id, h.ip_group_id, g.ready_at, g.holders,
               row_number() OVER (PARTITION BY h.ip_group_id ORDER BY h.due_at, h.id) AS position
          FROM frontier_host h LEFT JOIN frontier_ipgroup g ON g.id = h.ip_group_id WHERE h.id = ANY (in_chosen)
    ), verdict AS (
        SELECT ranked.id, ranked.ip_group_id,
               ranked.ip_group_id IS NULL
               OR (ranked.ready_at <= in_now AND ranked.position <= in_group_nodes - ranked.holders) AS may
          FROM ranked
    ), taken AS (
        UPDATE frontier_ipgroup g
           SET holders = g.holders + n.number,
               ready_at = CASE WHEN g.holders + n.number >= in_group_nodes THEN in_hold_end ELSE g.ready_at END
          FROM (SELECT verdict.ip_group_id, count(*) AS number FROM verdict
                 WHERE verdict.may AND verdict.ip_group_id IS NOT NULL GROUP BY verdict.ip_group_id) n
         WHERE g.id = n.ip_group_id
    ), put_off AS (
        UPDATE frontier_host h SET ready_at = greatest(g.ready_at, in_now + interval '1 second')
          FROM verdict JOIN frontier_ipgroup g ON g.id = verdict.ip_group_id
         WHERE h.id = verdict.id AND NOT verdict.may
    )
    SELECT coalesce(array_agg(verdict.id), '{}') INTO passed FROM verdict WHERE verdict.may;
    RETURN passed;
END $$;
