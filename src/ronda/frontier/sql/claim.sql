-- Gate and reserve: which hosts this node gets now, with which URLs. One call, one transaction; what is locked by
-- another claim is passed over, never waited for.
--
-- A held host's ready_at lies behind the end of its lease plus the guard time (the silent node may still be fetching),
-- so that a lease that is never completed needs nobody to clean up after it: the host simply becomes due again.
--
-- A host that has nothing for this node, because others are meant or preferred, goes to the end of those that are due:
-- it stays due for the others, and does not stand in the way of this one. So a few rounds find work for everybody.
-- If nothing stands behind it, it stays where it is.
CREATE OR REPLACE FUNCTION frontier_claim(
    in_node uuid, in_owner bigint, in_country text, in_continent text, in_is_trusted boolean, in_is_uncapped boolean,
    in_block uuid,
    in_hosts int, in_urls int,
    in_lease_seconds float, in_guard_seconds float, in_busy_seconds float,
    in_floor_seconds float, in_cap_seconds float, in_latency_factor float, in_group_nodes int,
    in_nodes uuid[], in_countries text[], in_continents text[],
    in_head_start_seconds float, in_explored_share float, in_is_copying boolean, in_lanes int, in_straggler_seconds float
) RETURNS TABLE (
    lease_id bigint, host_id bigint, host_name varchar, scheme varchar, is_robots boolean, delay_seconds float,
    request_id bigint, url text, attempts smallint, known text
) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    right_now timestamptz := clock_timestamp();
    lease_end timestamptz := right_now + make_interval(secs => in_lease_seconds);
    hold_end timestamptz := lease_end + make_interval(secs => in_guard_seconds);
    head_start interval := make_interval(secs => in_head_start_seconds);
    straggling_since timestamptz := right_now - make_interval(secs => in_straggler_seconds);
    chosen bigint[];
    looked_at int;
    -- What of the block is still to be filled: lanes may be of work that is not for this node.
    hosts_left int := in_hosts;
    urls_left int := in_urls;
    given_hosts bigint[] := '{}';
    found_urls int;
    urls_each float;
    -- What nodes hold of hosts that several may hold.
    held bigint[];
    -- The queues of a host that are this node's: for anybody, for trusted nodes, and both again for its country.
    queue_countries text[] := array[''];
    queue_trusts boolean[] := array[false];
    -- What was cancelled and not taken out of the queue yet is nobody's work.
    cancelled bigint[] := coalesce((SELECT array_agg(b.id) FROM frontier_batch b WHERE b.is_cancelled AND b.ended < b.total),
                                   '{}');
BEGIN
IF in_is_trusted THEN
    queue_countries := array['', ''];
    queue_trusts := array[false, true];
END IF;
IF in_country <> '' THEN
    queue_countries := queue_countries || array_fill(in_country, array[cardinality(queue_trusts)]);
    queue_trusts := queue_trusts || queue_trusts;
END IF;
FOR round IN 1..4 LOOP
    IF in_is_copying THEN
        SELECT array_agg(due.id), count(*) INTO chosen, looked_at FROM (
            SELECT h.id FROM frontier_host h
             WHERE h.has_work AND h.blocked_reason = '' AND h.max_nodes > 1 AND h.is_delay_per_node
               AND h.due_at <= right_now
               AND h.holders > 0 AND h.holders < h.max_nodes
             ORDER BY h.due_at LIMIT in_hosts FOR UPDATE SKIP LOCKED
        ) due;
    ELSE
        chosen := frontier_choose(hosts_left, in_lanes, right_now, given_hosts);
        looked_at := cardinality(chosen);
    END IF;
    IF coalesce(cardinality(chosen), 0) = 0 THEN
        RETURN;
    END IF;

    -- Broad before deep: a host waits for its delay after each URL, another host does not.
    urls_each := ceil(urls_left::float / cardinality(chosen));

    PERFORM frontier_end_lost_leases(chosen, right_now - make_interval(secs => in_guard_seconds));

    chosen := frontier_pass_group_gate(chosen, right_now, in_guard_seconds, in_group_nodes);
    SELECT coalesce(array_agg(asked.id), '{}') INTO held
      FROM frontier_host h JOIN frontier_lease l ON l.host_id = h.id CROSS JOIN unnest(l.request_ids) AS asked (id)
     WHERE h.id = ANY (chosen) AND h.holders > 0 AND NOT l.is_over;

    RETURN QUERY
    WITH paced AS (
        SELECT h.id, h.name, h.scheme, h.holders, h.ip_group_id,
               (h.robots_expires_at IS NULL OR h.robots_expires_at <= right_now) AS needs_robots,
               coalesce(h.delay_seconds,
                        least(in_cap_seconds,
                              greatest(in_floor_seconds, coalesce(h.crawl_delay_seconds, 0),
                                       coalesce(h.learned_delay_seconds, 0),
                                       in_latency_factor * coalesce(h.latency_seconds, 0)))) AS delay,
               -- Its robots.txt is on the way from elsewhere; or this node had its say or could not reach it, and others
               -- are there.
               (h.robots_state = 'elsewhere' AND coalesce(h.robots_expires_at > right_now, false))
               OR ((h.robots_expires_at IS NULL OR h.robots_expires_at <= right_now)
                   AND in_node = ANY (h.robots_tried) AND coalesce(h.robots_others_until > right_now, false)
                   AND NOT in_nodes <@ h.robots_tried)
               OR (in_node = ANY (h.avoided_nodes) AND coalesce(h.avoided_until > right_now, false)
                   AND NOT in_nodes <@ h.avoided_nodes)
               -- Where several hold a host, each keeps its own delay there: nobody asks it twice at a time.
               OR (h.holders > 0 AND EXISTS (SELECT 1 FROM frontier_lease l WHERE l.host_id = h.id AND l.node = in_node
                                                AND NOT l.is_over AND NOT l.is_brought)) AS is_not_mine,
               -- The head start of those who are preferred is over: nobody waits for ever.
               coalesce(h.waiting_since, h.due_at) + head_start <= right_now AS is_for_all,
               frontier_distance(h.country, h.continent, array[in_country], array[in_continent])
               <= frontier_distance(h.country, h.continent, in_countries, in_continents)
                  + CASE WHEN coalesce(h.waiting_since, h.due_at) + head_start / 2 <= right_now THEN 1 ELSE 0 END AS is_near
          FROM frontier_host h WHERE h.id = ANY (chosen)
    ), hosts AS MATERIALIZED (
        -- As many URLs as fill the block; of a slow host, fewer.
        SELECT paced.*,
               CASE WHEN paced.needs_robots THEN 1 ELSE
                    least(urls_each, greatest(1, floor(in_busy_seconds / greatest(paced.delay, 0.001))))::int
                    END AS most
          FROM paced
    ), picked AS (
        SELECT hosts.*, r.*
          FROM hosts
         CROSS JOIN unnest(queue_countries, queue_trusts) AS queues (country, is_for_trusted)
         CROSS JOIN LATERAL (
               SELECT q.id AS request_id, q.url, q.attempts, q.priority, q.turn, q.batch_id, q.strategy, q.known
                 FROM frontier_request q
                WHERE NOT hosts.is_not_mine
                  AND q.host_id = hosts.id AND q.country = queues.country AND q.is_for_trusted = queues.is_for_trusted
                  AND q.not_before <= right_now AND q.batch_id <> ALL (cancelled)
                  AND (q.not_owners IS NULL OR in_owner <> ALL (q.not_owners))
                  AND (in_is_uncapped OR NOT q.is_for_uncapped)
                  -- Looked up in a table made once: all that is held stands before what is free.
                  AND CASE WHEN in_is_copying THEN frontier_is_straggling(q.id, hosts.id, in_owner, straggling_since)
                           ELSE q.id NOT IN (SELECT unnest(held)) END
                ORDER BY q.priority, q.turn, q.id LIMIT hosts.most
               ) r
    ), shares AS (
        -- Of a job that is for all nodes alike: how many URLs more before this node is ahead of the others.
        SELECT b.id AS batch_id,
               coalesce((SELECT min(coalesce(s.given, 0))
                           FROM unnest(in_nodes) AS n (node)
                           LEFT JOIN frontier_share s ON s.batch_id = b.id AND s.node = n.node), 0)
               + greatest(1, least(in_urls, (b.total - b.ended) / (4 * greatest(1, cardinality(in_nodes)))))
               - coalesce((SELECT s.given FROM frontier_share s WHERE s.batch_id = b.id AND s.node = in_node), 0) AS room
          FROM frontier_batch b
         WHERE b.id IN (SELECT picked.batch_id FROM picked WHERE picked.strategy = 'equal')
    ), speeds AS (
        -- Of hosts that the fastest are to fetch: how quick they are for this node's country, and at best for those
        -- that have nodes now.
        SELECT r.host_id,
               min(r.latency_seconds) FILTER (WHERE r.country = in_country) AS mine,
               min(r.latency_seconds) FILTER (WHERE r.country = ANY (in_countries)) AS best
          FROM frontier_reach r
         WHERE r.host_id IN (SELECT picked.id FROM picked WHERE picked.strategy = 'fastest')
           AND r.measured_at > right_now - interval '1 day'
         GROUP BY r.host_id
    ), judged AS (
        SELECT picked.*,
               picked.is_for_all
               OR CASE picked.strategy
                  WHEN 'nearest' THEN picked.is_near
                  WHEN 'fastest' THEN
                      CASE WHEN speeds.best IS NULL THEN true
                           -- Never tried, or not for long: tried now and then.
                           WHEN speeds.mine IS NULL THEN random() < in_explored_share
                           ELSE speeds.mine <= speeds.best * 1.2 END
                  ELSE true END AS may
          FROM picked LEFT JOIN speeds ON speeds.host_id = picked.id WHERE picked.strategy <> 'equal'
        UNION ALL
        SELECT picked.*,
               picked.is_for_all
               OR row_number() OVER (PARTITION BY picked.batch_id ORDER BY picked.priority, picked.request_id)
                  <= shares.room
          FROM picked JOIN shares ON shares.batch_id = picked.batch_id WHERE picked.strategy = 'equal'
    ), kept AS (
        SELECT * FROM (
            SELECT judged.*, row_number() OVER (ORDER BY judged.priority, judged.request_id) AS position
              FROM judged WHERE judged.may
        ) allowed WHERE allowed.position <= urls_left
    ), verdict AS (
        SELECT judged.id, judged.needs_robots, judged.delay,
               bool_or(judged.may) AS has_mine,
               -- What is for all alike is not kept waiting by a host that is being asked, only by one that nobody asks.
               bool_or(NOT judged.may AND judged.strategy <> 'equal') AS has_others
          FROM judged GROUP BY judged.id, judged.needs_robots, judged.delay
    ), leases AS (
        INSERT INTO frontier_lease
               (block, node, owner, host_id, ip_group_id, request_ids, is_robots, is_trusted, is_over, granted_at,
                expires_at)
        SELECT in_block, in_node, in_owner, kept.id, kept.ip_group_id,
               CASE WHEN kept.needs_robots THEN '{}' ELSE array_agg(kept.request_id) END,
               kept.needs_robots, in_is_trusted, false, right_now, lease_end
          FROM kept GROUP BY kept.id, kept.ip_group_id, kept.needs_robots
        RETURNING frontier_lease.id, frontier_lease.host_id
    ), given AS (
        INSERT INTO frontier_share AS s (batch_id, node, given)
        SELECT kept.batch_id, in_node, count(*) FROM kept
         WHERE kept.strategy = 'equal' AND NOT kept.needs_robots GROUP BY kept.batch_id ORDER BY kept.batch_id
        ON CONFLICT (batch_id, node) DO UPDATE SET given = s.given + excluded.given
    ), held AS (
        UPDATE frontier_host h
           SET holders = h.holders + 1,
               waiting_since = CASE WHEN k.has_others THEN coalesce(h.waiting_since, h.due_at) END,
               turn = greatest(h.turn, (SELECT max(kept.turn) FROM kept WHERE kept.id = h.id AND NOT kept.needs_robots)),
               ready_at = CASE WHEN h.holders + 1 >= h.max_nodes OR NOT h.is_delay_per_node OR k.needs_robots THEN hold_end
                               ELSE right_now + make_interval(secs => k.delay) END
          FROM verdict k WHERE h.id = k.id AND k.id IN (SELECT kept.id FROM kept)
    ), put_back AS (
        -- Due, but kept for others who are preferred.
        UPDATE frontier_host h
           SET ready_at = clock_timestamp(), waiting_since = coalesce(h.waiting_since, h.due_at)
          FROM verdict
         WHERE h.id = verdict.id AND NOT verdict.has_mine AND (looked_at >= hosts_left OR h.waiting_since IS NULL)
    ), waiting AS (
        -- Due, but nothing to give: its URLs are for nodes of another country or person, or for trusted ones, or held by others, or wait
        -- for their own time, or there are none.
        UPDATE frontier_host h
           SET ready_at = CASE WHEN n.is_for_others THEN clock_timestamp()
                   ELSE coalesce((SELECT min(q.not_before) FROM frontier_request q
                                   WHERE q.host_id = h.id AND q.batch_id <> ALL (cancelled)), right_now) END,
               has_work = EXISTS (SELECT 1 FROM frontier_request q
                                   WHERE q.host_id = h.id AND q.batch_id <> ALL (cancelled))
          FROM (SELECT c.id, EXISTS (SELECT 1 FROM frontier_request q
                                      WHERE q.host_id = c.id AND q.not_before <= right_now
                                        AND q.batch_id <> ALL (cancelled)) AS is_for_others
                  FROM unnest(chosen) AS c (id) WHERE c.id NOT IN (SELECT picked.id FROM picked)) n
         WHERE h.id = n.id AND (looked_at >= hosts_left OR NOT n.is_for_others)
    )
    SELECT leases.id, kept.id, kept.name, kept.scheme, kept.needs_robots, kept.delay::float,
           CASE WHEN kept.needs_robots THEN NULL ELSE kept.request_id END,
           CASE WHEN kept.needs_robots THEN kept.scheme || '://' || kept.name || '/robots.txt' ELSE kept.url END,
           kept.attempts, CASE WHEN in_is_trusted AND NOT kept.needs_robots THEN kept.known::text END
      FROM kept JOIN leases ON leases.host_id = kept.id
     ORDER BY kept.id, kept.position;
    GET DIAGNOSTICS found_urls = ROW_COUNT;
    EXIT WHEN looked_at < hosts_left OR (in_is_copying AND found_urls > 0);
    SELECT coalesce(array_agg(l.host_id), '{}') INTO given_hosts FROM frontier_lease l WHERE l.block = in_block;
    hosts_left := in_hosts - cardinality(given_hosts);
    urls_left := urls_left - found_urls;
    EXIT WHEN hosts_left <= 0 OR urls_left <= 0;
END LOOP;
END $$;

-- Hosts that are due, locked: of every lane that has some as many as of any other, those first that have waited longest;
-- what lanes with few leave over, whoever has waited longest.
CREATE OR REPLACE FUNCTION frontier_choose(in_hosts int, in_lanes int, in_now timestamptz, in_without bigint[])
RETURNS bigint[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    busy_lanes smallint[];
    chosen bigint[] := '{}';
    found_here bigint[];
BEGIN
    SELECT coalesce(array_agg(lanes.number ORDER BY random()), '{}') INTO busy_lanes
      FROM generate_series(0, in_lanes - 1) AS lanes (number)
     WHERE EXISTS (SELECT 1 FROM frontier_host h
                    WHERE h.has_work AND h.blocked_reason = '' AND h.lane = lanes.number AND h.due_at <= in_now);
    IF cardinality(busy_lanes) > 1 THEN
        FOR place IN 1..cardinality(busy_lanes) LOOP
            EXIT WHEN cardinality(chosen) >= in_hosts;
            SELECT array_agg(due.id) INTO found_here FROM (
                SELECT h.id FROM frontier_host h
                 WHERE h.has_work AND h.blocked_reason = '' AND h.lane = busy_lanes[place] AND h.due_at <= in_now
                   AND h.id <> ALL (in_without)
                 ORDER BY h.due_at
                 LIMIT ceil((in_hosts - cardinality(chosen))::float / (cardinality(busy_lanes) - place + 1))
                   FOR UPDATE SKIP LOCKED
            ) due;
            chosen := chosen || found_here;
        END LOOP;
    END IF;
    IF cardinality(chosen) < in_hosts THEN
        SELECT array_agg(due.id) INTO found_here FROM (
            SELECT h.id FROM frontier_host h
             WHERE h.has_work AND h.blocked_reason = '' AND h.due_at <= in_now AND h.id <> ALL (chosen || in_without)
             ORDER BY h.due_at LIMIT in_hosts - cardinality(chosen) FOR UPDATE SKIP LOCKED
        ) due;
        chosen := chosen || found_here;
    END IF;
    RETURN chosen;
END $$;

-- How far the nearest of some places is from a host: 0 its country, 1 its continent, 2 elsewhere or unknown.
CREATE OR REPLACE FUNCTION frontier_distance(in_country text, in_continent text, in_countries text[], in_continents text[])
RETURNS int LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN in_country = '' THEN 2
                WHEN in_country = ANY (in_countries) THEN 0
                WHEN in_continent = ANY (in_continents) THEN 1 ELSE 2 END
$$;

-- Whether somebody has held a URL for too long, and nobody of this person holds it.
CREATE OR REPLACE FUNCTION frontier_is_straggling(
    in_request bigint, in_host bigint, in_owner bigint, in_held_before timestamptz
) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT count(*) > 0 AND bool_and(l.owner <> in_owner AND l.granted_at < in_held_before)
      FROM frontier_lease l WHERE l.host_id = in_host AND NOT l.is_over AND in_request = ANY (l.request_ids)
$$;

-- Hosts that nobody has asked yet, but whose address is known, as it is their name: they join the group of those who share
-- it. Returns those that have to wait, because somebody else is just making the group, or counts who is in it: nobody
-- is waited for. (Who makes groups holds this lock of their address; see addresses.py.)
CREATE OR REPLACE FUNCTION frontier_join_groups(in_chosen bigint[]) RETURNS bigint[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    strangers bigint[];
    has_to_wait bigint[];
BEGIN
    SELECT coalesce(array_agg(h.id), '{}') INTO strangers
      FROM frontier_host h
     WHERE h.id = ANY (in_chosen) AND h.ip_group_id IS NULL AND h.robots_expires_at IS NULL AND h.address <> ''
       AND EXISTS (SELECT 1 FROM frontier_host o WHERE o.address = h.address AND o.id <> h.id);
    IF cardinality(strangers) = 0 THEN
        RETURN strangers;
    END IF;
    INSERT INTO frontier_ipgroup (address, size)
    SELECT wanted.address, 0
      FROM (SELECT DISTINCT h.address FROM frontier_host h
             WHERE h.id = ANY (strangers)
               AND NOT EXISTS (SELECT 1 FROM frontier_ipgroup g WHERE g.address = h.address)) wanted
     WHERE pg_try_advisory_xact_lock(hashtextextended('address ' || wanted.address, 0))
    ON CONFLICT DO NOTHING;
    WITH free AS MATERIALIZED (
        SELECT g.id, g.address FROM frontier_ipgroup g
         WHERE g.address IN (SELECT h.address FROM frontier_host h WHERE h.id = ANY (strangers))
         ORDER BY g.id FOR UPDATE SKIP LOCKED
    ), joined AS (
        UPDATE frontier_host h SET ip_group_id = free.id FROM free
         WHERE h.id = ANY (strangers) AND h.address = free.address
        RETURNING h.id, h.ip_group_id
    ), counted AS (
        UPDATE frontier_ipgroup g SET size = g.size + n.number
          FROM (SELECT joined.ip_group_id, count(*) AS number FROM joined GROUP BY joined.ip_group_id) n
         WHERE g.id = n.ip_group_id
    )
    SELECT coalesce(array_agg(s.id), '{}') INTO has_to_wait
      FROM unnest(strangers) AS s (id) WHERE s.id NOT IN (SELECT joined.id FROM joined);
    RETURN has_to_wait;
END $$;

-- The second gate: of the chosen hosts, those whose shared address is free too. The others wait for it, one behind the
-- other. A large group is a large machine, or many, or a lie of a node: it has more places.
CREATE OR REPLACE FUNCTION frontier_pass_group_gate(
    in_chosen bigint[], in_now timestamptz, in_guard_seconds float, in_group_nodes int
) RETURNS bigint[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    locked bigint[];
    passed bigint[];
    has_to_wait bigint[] := frontier_join_groups(in_chosen);
BEGIN
    UPDATE frontier_host h SET ready_at = clock_timestamp() WHERE h.id = ANY (has_to_wait);
    in_chosen := ARRAY(SELECT c.id FROM unnest(in_chosen) AS c (id) WHERE c.id <> ALL (has_to_wait));
    IF NOT EXISTS (SELECT 1 FROM frontier_host h WHERE h.id = ANY (in_chosen) AND h.ip_group_id IS NOT NULL) THEN
        RETURN in_chosen;
    END IF;
    -- Locked first, counted then: a count that began before the lock was ours would miss what its holder gave out.
    SELECT coalesce(array_agg(free.id), '{}') INTO locked FROM (
        SELECT g.id FROM frontier_ipgroup g
         WHERE g.id IN (SELECT h.ip_group_id FROM frontier_host h WHERE h.id = ANY (in_chosen))
         ORDER BY g.id FOR UPDATE SKIP LOCKED
    ) free;
    WITH ranked AS (
        SELECT h.id, h.ip_group_id,
               row_number() OVER (PARTITION BY h.ip_group_id ORDER BY h.due_at, h.id) AS position
          FROM frontier_host h WHERE h.id = ANY (in_chosen)
    ), places AS (
        SELECT g.id,
               in_group_nodes * (1 + g.size / 50)
               - (SELECT count(*) FROM frontier_lease l
                   WHERE l.ip_group_id = g.id AND NOT l.is_over AND l.expires_at + make_interval(secs => in_guard_seconds) > in_now) AS free
          FROM frontier_ipgroup g WHERE g.id = ANY (locked)
    ), verdict AS (
        SELECT ranked.id, ranked.position - greatest(0, places.free) AS behind,
               ranked.ip_group_id IS NULL OR coalesce(ranked.position <= places.free, false) AS may
          FROM ranked LEFT JOIN places ON places.id = ranked.ip_group_id
    ), put_off AS (
        UPDATE frontier_host h
           SET ready_at = clock_timestamp() + make_interval(secs => coalesce(verdict.behind::float / in_group_nodes, 0))
          FROM verdict WHERE h.id = verdict.id AND NOT verdict.may
    )
    SELECT coalesce(array_agg(verdict.id), '{}') INTO passed FROM verdict WHERE verdict.may;
    RETURN passed;
END $$;
