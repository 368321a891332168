-- Whether a host that is due has a URL for a node that nobody holds. Hosts that one node at a time may hold are not due meanwhile.
SELECT EXISTS (
    SELECT 1 FROM frontier_host h
     WHERE h.has_work AND h.blocked_reason = '' AND h.due_at <= clock_timestamp()
       -- A host that it is asking already is not free for it, however much is left there.
       AND (h.holders = 0 OR NOT EXISTS (SELECT 1 FROM frontier_lease l WHERE l.host_id = h.id AND l.node = %(node)s
                                            AND NOT l.is_over AND NOT l.is_brought))
       AND (h.holders = 0 OR h.max_nodes = 1 OR NOT h.is_delay_per_node
            OR h.queued > (SELECT coalesce(sum(cardinality(l.request_ids)), 0) FROM frontier_lease l
                            WHERE l.host_id = h.id AND NOT l.is_over AND l.expires_at > clock_timestamp())))
