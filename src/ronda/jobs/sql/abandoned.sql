-- Open jobs whose turn in the queue is over or gone, or was begun and has no worker that beats for it.
-- The worker's own heartbeat would not do: one that outlived a crash of the database may have lost the job and live on.
SELECT job.id
  FROM jobs_job job
  LEFT JOIN procrastinate_jobs turn ON turn.id = job.queue_id
 WHERE job.state IN ('queued', 'running')
   AND (turn.id IS NULL
        OR turn.status NOT IN ('todo', 'doing')
        OR (turn.status = 'doing'
            AND greatest(job.beat_at,
                         (SELECT max(event.at) FROM procrastinate_events event
                           WHERE event.job_id = turn.id AND event.type = 'started'))
                < now() - make_interval(secs => %(silence_seconds)s)))
