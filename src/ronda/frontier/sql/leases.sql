-- Leases that ran out before a moment: their nodes are gone, and one attempt of each of their URLs with them. They are
-- kept a while as the memory of who was asked what, so that a late answer can still be told from a made-up one.
-- The caller has locked the hosts.
CREATE OR REPLACE FUNCTION frontier_end_lost_leases(in_hosts bigint[], in_before timestamptz)
RETURNS void LANGUAGE sql VOLATILE AS $$
    WITH lost AS (
        UPDATE frontier_lease l SET is_over = true
         WHERE l.host_id = ANY (in_hosts) AND NOT l.is_over AND l.expires_at <= in_before
        RETURNING l.host_id, l.request_ids
    ), freed AS (
        UPDATE frontier_host h SET holders = greatest(0, h.holders - n.number)
          FROM (SELECT lost.host_id, count(*) AS number FROM lost GROUP BY lost.host_id) n WHERE h.id = n.host_id
    )
    UPDATE frontier_request r SET attempts = r.attempts + 1 FROM lost WHERE r.id = ANY (lost.request_ids)
$$;

-- A node is still at work on its blocks: what it holds, it holds for another lease, but not for ever. Leases that
-- were given to others meanwhile stay with them.
-- Returns for how many seconds each block is still its own.
CREATE OR REPLACE FUNCTION frontier_extend(
    in_node uuid, in_blocks uuid[], in_lease_seconds float, in_guard_seconds float, in_most_leases int
) RETURNS TABLE (block uuid, seconds float) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    right_now timestamptz := clock_timestamp();
BEGIN
    -- In the order of names, as everybody locks them; a claim that was quicker is over after this.
    PERFORM 1 FROM frontier_host h
      WHERE h.id IN (SELECT l.host_id FROM frontier_lease l
                      WHERE l.node = in_node AND l.block = ANY (in_blocks) AND NOT l.is_over)
      ORDER BY h.name COLLATE "C" FOR UPDATE;

    RETURN QUERY
    WITH extended AS (
        UPDATE frontier_lease l
           SET expires_at = greatest(l.expires_at,
                   least(right_now + make_interval(secs => in_lease_seconds),
                         l.granted_at + make_interval(secs => in_lease_seconds * in_most_leases)))
         WHERE l.node = in_node AND l.block = ANY (in_blocks) AND NOT l.is_over
        RETURNING l.block, l.host_id, l.expires_at, l.is_robots
    ), held AS (
        UPDATE frontier_host h
           SET ready_at = greatest(h.ready_at, e.lease_end + make_interval(secs => in_guard_seconds))
          FROM (SELECT extended.host_id, max(extended.expires_at) AS lease_end, bool_or(extended.is_robots) AS is_robots
                  FROM extended GROUP BY extended.host_id) e
         WHERE h.id = e.host_id AND (h.holders >= h.max_nodes OR NOT h.is_delay_per_node OR e.is_robots)
    )
    SELECT extended.block, extract(epoch FROM min(extended.expires_at) - right_now)::float
      FROM extended GROUP BY extended.block;
END $$;

-- Hosts without work are not claimed, so nobody notices what they lost: now and then all of it is looked through.
CREATE OR REPLACE FUNCTION frontier_sweep_leases(in_lost_before timestamptz, in_forget_before timestamptz)
RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    stale bigint[];
BEGIN
    SELECT array_agg(s.id) INTO stale FROM (
        SELECT h.id FROM frontier_host h
         WHERE h.id IN (SELECT l.host_id FROM frontier_lease l WHERE NOT l.is_over AND l.expires_at <= in_lost_before)
         ORDER BY h.name COLLATE "C" FOR UPDATE
    ) s;
    PERFORM frontier_end_lost_leases(stale, in_lost_before);
    DELETE FROM frontier_lease l WHERE l.is_over AND l.expires_at <= in_forget_before;
END $$;
