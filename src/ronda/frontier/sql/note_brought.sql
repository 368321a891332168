-- A node's answers are here, and taking them in is a while: hosts that want no delay and that several may hold it may ask
-- on meanwhile. Not worth waiting for the disk: if it is lost, the node waits until they are taken in.
WITH hasty AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
UPDATE frontier_lease l SET is_brought = true
  FROM hasty, frontier_host h
 WHERE l.block = %(block)s AND l.node = %(node)s AND NOT l.is_over AND NOT l.is_robots
   AND h.id = l.host_id AND h.is_delay_per_node AND h.max_nodes > 1 AND h.delay_seconds = 0
