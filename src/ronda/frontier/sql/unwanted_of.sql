-- What a node holds and nobody wants any more: URLs of cancelled batches and of hosts that opted out, and robots.txt
-- files of hosts without other work.
WITH held AS (
    SELECT l.host_id, l.is_robots, l.request_ids, h.blocked_reason <> '' AS is_opted_out
      FROM frontier_lease l JOIN frontier_host h ON h.id = l.host_id
     WHERE l.node = %(node)s AND NOT l.is_over
)
SELECT 0, held.host_id FROM held
 WHERE held.is_robots
   AND (held.is_opted_out
        OR NOT EXISTS (SELECT 1 FROM frontier_request q JOIN frontier_batch b ON b.id = q.batch_id
                        WHERE q.host_id = held.host_id AND NOT b.is_cancelled))
UNION ALL
SELECT q.id, held.host_id FROM held
  JOIN frontier_request q ON q.id = ANY (held.request_ids)
  JOIN frontier_batch b ON b.id = q.batch_id
 WHERE b.is_cancelled OR held.is_opted_out
