-- How many hosts have work, counted no further than needed: entries of the heap, no rows.
SELECT count(*) FROM (
    SELECT 1 FROM frontier_host h WHERE h.has_work AND h.blocked_reason = '' LIMIT %(at_most)s
) found
