-- Jobs that have ended, and every turn of theirs in the queue that nobody has in hand.
WITH turns AS (
    DELETE FROM procrastinate_jobs
     WHERE args ->> 'job_id' = ANY(%(ids)s)
       AND status <> 'doing'
)
DELETE FROM jobs_job
 WHERE id = ANY(%(ids)s::uuid[])
   AND state IN ('succeeded', 'failed', 'cancelled')
