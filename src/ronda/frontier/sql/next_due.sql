-- In how many seconds the next host is free, without those that are free already.
SELECT extract(epoch FROM h.due_at - clock_timestamp())
  FROM frontier_host h WHERE h.has_work AND h.blocked_reason = '' AND h.due_at > clock_timestamp()
 ORDER BY h.due_at LIMIT 1
