-- Jobs that ended more than so many days ago, and every queue row whose turn is over.
WITH turns AS (
    DELETE FROM procrastinate_jobs
     WHERE status IN ('succeeded', 'failed', 'cancelled', 'aborted')
       AND id NOT IN (SELECT queue_id FROM jobs_job WHERE state IN ('queued', 'running') AND queue_id IS NOT NULL)
)
DELETE FROM jobs_job
 WHERE state IN ('succeeded', 'failed', 'cancelled')
   AND ended_at < now() - make_interval(days => %(days)s)
