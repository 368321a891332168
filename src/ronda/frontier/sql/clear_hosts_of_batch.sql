-- Hosts that have work for a cancelled batch alone are not due any more. What somebody has locked is passed over, and so
-- never waited for: the next claim that meets such a host finds out the same.
UPDATE frontier_host h SET has_work = false
 WHERE h.id IN (SELECT idle.id FROM frontier_host idle
                 WHERE idle.id IN (SELECT r.host_id FROM frontier_request r WHERE r.batch_id = %(batch)s)
                   AND NOT EXISTS (SELECT 1 FROM frontier_request other JOIN frontier_batch b ON b.id = other.batch_id
                                    WHERE other.host_id = idle.id AND NOT b.is_cancelled)
                   FOR UPDATE SKIP LOCKED)
