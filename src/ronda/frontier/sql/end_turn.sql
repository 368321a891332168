-- The host is free again after its delay, counted from its answer; a rest it asked for is kept. A turn that took too
-- long and went to another by now frees nobody.
UPDATE frontier_host
   SET ready_at = CASE WHEN ready_at = %(held_until)s
                       THEN clock_timestamp() + make_interval(secs => greatest(0, %(delay_seconds)s))
                       ELSE ready_at END,
       backoff_until = CASE WHEN %(rest_seconds)s::float IS NULL THEN backoff_until
                            ELSE greatest(backoff_until, clock_timestamp() + make_interval(secs => %(rest_seconds)s)) END,
       backoff_at = CASE WHEN %(incidents)s::int IS NULL THEN backoff_at ELSE clock_timestamp() END,
       backoff_count = coalesce(%(incidents)s::int, backoff_count)
 WHERE id = %(host)s
