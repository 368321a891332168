-- Whether somebody has held something for so long on a host that others may hold beside them.
SELECT EXISTS (
    SELECT 1 FROM frontier_host h JOIN frontier_lease l ON l.host_id = h.id
     WHERE h.has_work AND h.blocked_reason = '' AND h.due_at <= clock_timestamp()
       AND h.max_nodes > 1 AND h.is_delay_per_node AND h.holders > 0
       AND NOT l.is_over AND l.granted_at < clock_timestamp() - make_interval(secs => %(seconds)s))
