-- Whether anything that could be asked for now is for some of these people, each in a country.
SELECT EXISTS (
    SELECT 1 FROM frontier_host h JOIN frontier_request q ON q.host_id = h.id
     WHERE h.has_work AND h.blocked_reason = '' AND h.due_at <= now() AND q.not_before <= now()
       AND EXISTS (SELECT 1 FROM unnest(%(owners)s::bigint[], %(countries)s::text[]) AS p (owner, country)
                    WHERE q.country IN ('', p.country)
                      AND (q.not_owners IS NULL OR p.owner <> ALL (q.not_owners))))
