-- Take requests out of the queue unanswered. Those a node is fetching now stay: their answers are on the way.
-- Hosts and batches are locked by now, so that none of these is being handed out meanwhile.
WITH ended AS (
    DELETE FROM frontier_request r
     WHERE r.id = ANY (%(ids)s::bigint[])
       AND NOT EXISTS (SELECT 1 FROM frontier_lease l
                        WHERE l.host_id = r.host_id AND r.id = ANY (l.request_ids) AND l.expires_at > clock_timestamp())
    RETURNING r.id, r.batch_id, r.host_id, r.url, r.copy, r.attempts
), hosts AS (
    UPDATE frontier_host h SET queued = h.queued - n.number, has_work = h.queued - n.number > 0
      FROM (SELECT host_id, count(*)::int AS number FROM ended GROUP BY host_id) n WHERE h.id = n.host_id
), batches AS (
    UPDATE frontier_batch b SET ended = b.ended + n.number
      FROM (SELECT batch_id, count(*) AS number FROM ended GROUP BY batch_id) n WHERE b.id = n.batch_id
)
SELECT id, batch_id, url, copy, attempts FROM ended
