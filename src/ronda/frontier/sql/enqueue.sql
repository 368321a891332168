-- Put URLs into batches (`which` says into which of those given). Those a batch has had are passed over; their hosts are
-- made or told that there is work.
-- Rows are locked in one order everywhere, so that nobody blocks each other: URLs seen, hosts by name, groups, batches
-- last. By name means COLLATE "C", as Python sorts the chunks of a long list.
WITH given AS (
    SELECT g.*, (%(batches)s::bigint[])[g.which] AS batch_id
      FROM unnest(%(which)s::smallint[], %(urls)s::text[], %(digests)s::uuid[], %(names)s::text[], %(schemes)s::text[],
                  %(copies)s::text[], %(countries)s::text[], %(not_owners)s::text[],
                  %(are_for_trusted)s::boolean[], %(known)s::jsonb[], %(are_kept_unchanged)s::boolean[], %(turns)s::int[])
           WITH ORDINALITY AS g (which, url, digest, name, scheme, copy, country, not_owners,
                                 is_for_trusted, known, is_kept_unchanged, turn, position)
), fresh AS (
    INSERT INTO frontier_seen (batch_id, digest)
    SELECT DISTINCT batch_id, digest FROM given ORDER BY digest, batch_id
    ON CONFLICT DO NOTHING
    RETURNING batch_id, digest
), wanted AS (
    SELECT DISTINCT ON (digest, batch_id) given.* FROM given JOIN fresh USING (batch_id, digest)
     ORDER BY digest, batch_id, position
), hosts AS (
    INSERT INTO frontier_host AS h
           (name, scheme, address, country, continent, ready_at, backoff_count, holders, max_nodes, is_delay_per_node,
            queued, has_work, lane, turn, robots_state, robots_text, robots_tried, robots_failures, robots_failure, robots_way,
            avoided_nodes, blocked_reason)
    SELECT name, max(scheme),
           -- Of a name that is an address, where that is.
           coalesce(%(literals)s::jsonb #>> array[name, 'address'], ''),
           coalesce(%(literals)s::jsonb #>> array[name, 'country'], ''),
           coalesce(%(literals)s::jsonb #>> array[name, 'continent'], ''), now(), 0, 0, 1, false, count(*), true, min(batch_id %% %(lanes)s), 0, 'unknown', '',
           '{}', 0, '', '{}', '{}', ''
      FROM wanted GROUP BY name ORDER BY name COLLATE "C"
    ON CONFLICT (name) DO UPDATE
       SET queued = h.queued + excluded.queued, has_work = true,
           -- It stands where it stood while it has work for others.
           lane = CASE WHEN h.has_work THEN h.lane ELSE excluded.lane END,
           -- It has been due since it has work, not since long ago.
           ready_at = CASE WHEN h.has_work THEN h.ready_at ELSE greatest(h.ready_at, now()) END
    RETURNING id, name, turn
), queued AS (
    INSERT INTO frontier_request (batch_id, host_id, url, priority, turn, strategy, not_before, attempts, copy, country,
                                  not_owners, is_for_trusted, known, is_kept_unchanged)
    SELECT batch_id, hosts.id, url, (%(priorities)s::smallint[])[which], hosts.turn + wanted.turn,
           (%(strategies)s::text[])[which], now(), 0, copy, country, not_owners::bigint[], is_for_trusted, known,
           is_kept_unchanged
      FROM wanted JOIN hosts USING (name)
     ORDER BY position
    RETURNING batch_id
), locked AS (
    SELECT b.id, n.number FROM (SELECT batch_id, count(*) AS number FROM queued GROUP BY batch_id) n
      JOIN frontier_batch b ON b.id = n.batch_id ORDER BY b.id FOR NO KEY UPDATE OF b
)
UPDATE frontier_batch b SET total = b.total + locked.number FROM locked WHERE b.id = locked.id
RETURNING locked.number
