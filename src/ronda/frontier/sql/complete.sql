-- A node is done with (some of) its block. Only leases it still holds free their hosts; an answer counts whoever
-- brings it, but once: the first one takes the request out of the queue.
-- Returns the requests that ended by this call.
CREATE OR REPLACE FUNCTION frontier_complete(
    in_node uuid, in_block uuid, in_country text,
    in_done bigint[], in_retry bigint[], in_retry_seconds float[],
    in_hosts bigint[], in_delays float[], in_latencies float[], in_backoffs float[], in_incidents int[], in_learned float[]
) RETURNS TABLE (request_id bigint, batch_id bigint, url text, copy varchar, attempts smallint) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    right_now timestamptz := clock_timestamp();
BEGIN
    -- In the order in which everybody locks: hosts by name, then batches.
    PERFORM 1 FROM frontier_host h
      WHERE h.id IN (SELECT unnest(in_hosts)
                     UNION SELECT r.host_id FROM frontier_request r WHERE r.id = ANY (in_done))
      ORDER BY h.name COLLATE "C" FOR UPDATE;
    PERFORM 1 FROM frontier_batch b
      WHERE b.id IN (SELECT r.batch_id FROM frontier_request r WHERE r.id = ANY (in_done))
      ORDER BY b.id FOR NO KEY UPDATE;

    RETURN QUERY
    WITH seen AS (
        SELECT * FROM unnest(in_hosts, in_delays, in_latencies, in_backoffs, in_incidents, in_learned)
                   AS s (host_id, delay, latency, backoff, incidents, learned)
    ), finished AS (
        DELETE FROM frontier_lease l
         WHERE l.block = in_block AND l.node = in_node AND l.host_id = ANY (in_hosts)
        RETURNING l.host_id, l.is_over
    ), released AS (
        -- What came too late frees nobody: the host may be with another by now.
        SELECT finished.host_id FROM finished WHERE NOT finished.is_over
    ), ended AS (
        DELETE FROM frontier_request r WHERE r.id = ANY (in_done)
        RETURNING r.id, r.batch_id, r.host_id, r.url, r.copy, r.attempts, r.strategy
    ), put_off AS (
        UPDATE frontier_request r
           SET attempts = r.attempts + 1, not_before = right_now + make_interval(secs => w.seconds)
          FROM unnest(in_retry, in_retry_seconds) AS w (id, seconds) WHERE r.id = w.id
    ), numbers AS (
        SELECT ended.host_id, count(*)::int AS number FROM ended GROUP BY ended.host_id
    ), hosts AS (
        UPDATE frontier_host h
           SET queued = h.queued - coalesce(numbers.number, 0),
               has_work = h.queued - coalesce(numbers.number, 0) > 0,
               latency_seconds = coalesce(seen.latency, h.latency_seconds),
               holders = CASE WHEN released.host_id IS NULL THEN h.holders ELSE greatest(0, h.holders - 1) END,
               -- Counted from now, which is never before the end of the last fetch, whatever the node's clock says.
               ready_at = CASE WHEN released.host_id IS NULL THEN h.ready_at
                               ELSE right_now + make_interval(secs => seen.delay) END,
               backoff_until = CASE WHEN seen.backoff IS NULL THEN h.backoff_until
                                    ELSE greatest(h.backoff_until, right_now + make_interval(secs => seen.backoff)) END,
               backoff_at = CASE WHEN seen.backoff IS NULL THEN h.backoff_at ELSE right_now END,
               backoff_count = CASE WHEN seen.backoff IS NULL THEN h.backoff_count ELSE seen.incidents END,
               learned_delay_seconds = CASE WHEN seen.learned IS NULL THEN h.learned_delay_seconds
                                            ELSE nullif(seen.learned, 0) END,
               learned_at = CASE WHEN seen.learned IS NULL THEN h.learned_at ELSE right_now END
          -- A host may lose requests without being freed: some were refused, the others are being fetched.
          FROM seen FULL JOIN numbers USING (host_id) LEFT JOIN released USING (host_id)
         WHERE h.id = coalesce(seen.host_id, numbers.host_id)
    ), reach AS (
        -- Learned where it is asked for: jobs that go to whoever is fastest.
        INSERT INTO frontier_reach AS r (host_id, country, latency_seconds, measured_at)
        SELECT seen.host_id, in_country, seen.latency, right_now FROM seen
         WHERE seen.latency IS NOT NULL
           AND seen.host_id IN (SELECT ended.host_id FROM ended WHERE ended.strategy = 'fastest')
         ORDER BY seen.host_id
        ON CONFLICT (host_id, country) DO UPDATE
           SET latency_seconds = 0.7 * r.latency_seconds + 0.3 * excluded.latency_seconds,
               measured_at = excluded.measured_at
    ), batches AS (
        UPDATE frontier_batch b SET ended = b.ended + n.number
          FROM (SELECT ended.batch_id, count(*) AS number FROM ended GROUP BY ended.batch_id) n WHERE b.id = n.batch_id
    )
    SELECT ended.id, ended.batch_id, ended.url, ended.copy, ended.attempts FROM ended;
END $$;
