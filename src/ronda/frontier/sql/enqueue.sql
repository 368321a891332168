-- Put URLs into a batch. Those it has had are passed over; their hosts are made or told that there is work.
-- Rows are locked in one order everywhere, so that nobody blocks each other: URLs seen, hosts by name, batches last.
WITH given AS (
    SELECT url, digest, name, scheme, position
      FROM unnest(%(urls)s::text[], %(digests)s::uuid[], %(names)s::text[], %(schemes)s::text[])
           WITH ORDINALITY AS g (url, digest, name, scheme, position)
), fresh AS (
    INSERT INTO frontier_seen (batch_id, digest)
    SELECT DISTINCT %(batch)s::bigint, digest FROM given ORDER BY digest
    ON CONFLICT DO NOTHING
    RETURNING digest
), wanted AS (
    SELECT DISTINCT ON (digest) given.* FROM given JOIN fresh USING (digest) ORDER BY digest, position
), hosts AS (
    INSERT INTO frontier_host AS h
           (name, scheme, address, country, ready_at, backoff_count, holders, max_nodes, is_delay_per_node,
            queued, has_work, robots_state, robots_text, blocked_reason)
    SELECT name, max(scheme), '', '', now(), 0, 0, 1, false, count(*), true, 'unknown', '', ''
      FROM wanted GROUP BY name ORDER BY name
    ON CONFLICT (name) DO UPDATE SET queued = h.queued + excluded.queued, has_work = true
    RETURNING id, name
)
INSERT INTO frontier_request (batch_id, host_id, url, priority, not_before, attempts)
SELECT %(batch)s, hosts.id, url, %(priority)s, now(), 0
  FROM wanted JOIN hosts USING (name)
 ORDER BY position
