-- The batches of some requests, in the order in which everybody locks them, behind their hosts.
SELECT 1 FROM frontier_batch b
 WHERE b.id IN (SELECT r.batch_id FROM frontier_request r WHERE r.id = ANY (%(ids)s::bigint[]))
 ORDER BY b.id FOR NO KEY UPDATE
