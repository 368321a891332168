-- Put URLs into a batch. Those it has had are passed over; their hosts are made or told that there is work.
-- Rows are locked in one order everywhere, so that nobody blocks each other: URLs seen, hosts by name, groups, batches
-- last. By name means COLLATE "C", as Python sorts the chunks of a long list.
WITH given AS (
    SELECT *
      FROM unnest(%(urls)s::text[], %(digests)s::uuid[], %(names)s::text[], %(schemes)s::text[],
                  %(copies)s::text[], %(countries)s::text[], %(not_owners)s::text[],
                  %(are_for_trusted)s::boolean[], %(known)s::jsonb[], %(are_kept_unchanged)s::boolean[])
           WITH ORDINALITY AS g (url, digest, name, scheme, copy, country, not_owners,
                                 is_for_trusted, known, is_kept_unchanged, position)
), fresh AS (
    INSERT INTO frontier_seen (batch_id, digest)
    SELECT DISTINCT %(batch)s::bigint, digest FROM given ORDER BY digest
    ON CONFLICT DO NOTHING
    RETURNING digest
), wanted AS (
    SELECT DISTINCT ON (digest) given.* FROM given JOIN fresh USING (digest) ORDER BY digest, position
), hosts AS (
    INSERT INTO frontier_host AS h
           (name, scheme, address, country, continent, ready_at, backoff_count, holders, max_nodes, is_delay_per_node,
            queued, has_work, robots_state, robots_text, robots_tried, robots_failures, robots_failure, robots_way,
            avoided_nodes, blocked_reason)
    SELECT name, max(scheme), '', '', '', now(), 0, 0, 1, false, count(*), true, 'unknown', '', '{}', 0, '', '{}', '{}', ''
      FROM wanted GROUP BY name ORDER BY name COLLATE "C"
    ON CONFLICT (name) DO UPDATE
       SET queued = h.queued + excluded.queued, has_work = true,
           -- It has been due since it has work, not since long ago.
           ready_at = CASE WHEN h.has_work THEN h.ready_at ELSE greatest(h.ready_at, now()) END
    RETURNING id, name
)
INSERT INTO frontier_request (batch_id, host_id, url, priority, strategy, not_before, attempts, copy, country, not_owners,
                              is_for_trusted, known, is_kept_unchanged)
SELECT %(batch)s, hosts.id, url, %(priority)s, %(strategy)s, now(), 0, copy, country, not_owners::bigint[],
       is_for_trusted, known, is_kept_unchanged
  FROM wanted JOIN hosts USING (name)
 ORDER BY position
