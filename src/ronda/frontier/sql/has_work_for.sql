-- Whether anything that could be asked for now is for some of these nodes, each of a person in a country.
SELECT EXISTS (
    SELECT 1 FROM frontier_host h JOIN frontier_request q ON q.host_id = h.id
     WHERE h.has_work AND h.blocked_reason = '' AND h.due_at <= now() AND q.not_before <= now()
       AND EXISTS (SELECT 1 FROM unnest(%(nodes)s::uuid[], %(owners)s::bigint[], %(countries)s::text[], %(trusts)s::boolean[])
                                 AS p (node, owner, country, is_trusted)
                    WHERE q.country IN ('', p.country) AND (p.is_trusted OR NOT q.is_for_trusted)
                      AND (q.not_owners IS NULL OR p.owner <> ALL (q.not_owners))
                      -- It has had its say of the robots.txt, or could not reach the host: others are asked first.
                      AND NOT (p.node = ANY (h.robots_tried) AND NOT %(present)s::uuid[] <@ h.robots_tried
                               AND coalesce(h.robots_others_until > now(), false)
                               AND coalesce(h.robots_expires_at <= now(), true))
                      AND NOT (p.node = ANY (h.avoided_nodes) AND NOT %(present)s::uuid[] <@ h.avoided_nodes
                               AND coalesce(h.avoided_until > now(), false))))
