-- Others may have the visit, and commits wait for the disk as before.
SELECT pg_advisory_unlock(hashtextextended(%(name)s, 0)), set_config('synchronous_commit', %(waits)s, false)
