-- Open jobs whose turn in the queue is over or gone, or is held by a worker that no longer beats.
SELECT job.id
  FROM jobs_job job
  LEFT JOIN procrastinate_jobs turn ON turn.id = job.queue_id
  LEFT JOIN procrastinate_workers worker ON worker.id = turn.worker_id
 WHERE job.state IN ('queued', 'running')
   AND job.created_at < now() - interval '5 seconds'
   AND (turn.id IS NULL
        OR turn.status NOT IN ('todo', 'doing')
        OR (turn.status = 'doing'
            AND (worker.id IS NULL
                 OR worker.last_heartbeat < now() - make_interval(secs => %(silence_seconds)s))))
