-- How many hosts with work are free soon, counted no further than needed: entries of the heap, no rows. Where they are
-- few, also how many URLs of those that are due nobody holds.
WITH soon AS MATERIALIZED (
    SELECT count(*) AS hosts FROM (
        SELECT 1 FROM frontier_host h
         WHERE h.has_work AND h.blocked_reason = '' AND h.due_at < now() + make_interval(secs => %(within_seconds)s)
         LIMIT %(most_hosts)s
    ) found
)
SELECT soon.hosts, CASE WHEN soon.hosts < %(few_hosts)s THEN (
    SELECT coalesce(sum(found.free), 0)::bigint FROM (
        SELECT h.queued - CASE WHEN h.holders = 0 THEN 0 ELSE
                   (SELECT coalesce(sum(cardinality(l.request_ids)), 0) FROM frontier_lease l
                     WHERE l.host_id = h.id AND NOT l.is_over) END AS free
          FROM frontier_host h
         WHERE h.has_work AND h.blocked_reason = '' AND h.due_at <= clock_timestamp()
         ORDER BY h.due_at LIMIT %(few_hosts)s
    ) found
) ELSE 0 END
  FROM soon
