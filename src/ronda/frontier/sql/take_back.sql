-- A node left: its leases end now, its hosts are free as soon as it cannot be fetching any more.
WITH hosts AS (
    SELECT h.id FROM frontier_host h
     WHERE h.id IN (SELECT l.host_id FROM frontier_lease l WHERE l.node = %(node)s AND NOT l.is_over)
     ORDER BY h.name COLLATE "C" FOR UPDATE
), ended AS (
    UPDATE frontier_lease l SET expires_at = least(l.expires_at, clock_timestamp())
     WHERE l.node = %(node)s AND NOT l.is_over AND l.host_id IN (SELECT hosts.id FROM hosts)
    RETURNING l.host_id
)
UPDATE frontier_host h
   SET ready_at = least(h.ready_at, clock_timestamp() + make_interval(secs => %(guard_seconds)s))
 WHERE h.id IN (SELECT ended.host_id FROM ended)
