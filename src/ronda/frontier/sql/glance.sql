-- Whether a host that is due has a URL that nobody holds (as in has_free_work), and in how many seconds the host that is
-- free next is free: the head of the heap.
SELECT EXISTS (
    SELECT 1 FROM frontier_host h
     WHERE h.has_work AND h.blocked_reason = '' AND h.due_at <= clock_timestamp()
       AND (h.holders = 0 OR NOT EXISTS (SELECT 1 FROM frontier_lease l WHERE l.host_id = h.id AND l.node = %(node)s
                                            AND NOT l.is_over AND NOT l.is_brought))
       AND (h.holders = 0 OR h.max_nodes = 1 OR NOT h.is_delay_per_node
            OR h.queued > (SELECT coalesce(sum(cardinality(l.request_ids)), 0) FROM frontier_lease l
                            WHERE l.host_id = h.id AND NOT l.is_over AND l.expires_at > clock_timestamp()))),
    (SELECT extract(epoch FROM h.due_at - clock_timestamp())
       FROM frontier_host h WHERE h.has_work AND h.blocked_reason = '' ORDER BY h.due_at LIMIT 1)
