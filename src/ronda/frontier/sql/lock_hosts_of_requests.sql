-- The hosts of some requests, in the order in which everybody locks them.
SELECT 1 FROM frontier_host h
 WHERE h.id IN (SELECT r.host_id FROM frontier_request r WHERE r.id = ANY (%(ids)s::bigint[]))
 ORDER BY h.name COLLATE "C" FOR UPDATE
