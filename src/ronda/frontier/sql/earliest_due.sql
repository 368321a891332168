-- In how many seconds the host that is free next is free: the head of the heap.
SELECT extract(epoch FROM h.due_at - clock_timestamp())
  FROM frontier_host h WHERE h.has_work AND h.blocked_reason = '' ORDER BY h.due_at LIMIT 1
