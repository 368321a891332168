-- A node was heard from, and said how it is. Not worth waiting for the disk: it will be heard from again in seconds.
WITH hasty AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
UPDATE grid_node
   SET seen_at = %(seen_at)s, slots = %(slots)s, pending = %(pending)s, urls_per_second = %(urls_per_second)s,
       doing = %(doing)s, resting_because = %(resting_because)s
  FROM hasty WHERE grid_node.id = %(node)s
