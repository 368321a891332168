-- A host for whoever asks it directly, if it is free: held like a leased one, by a ready_at that lies ahead.
UPDATE frontier_host
   SET ready_at = clock_timestamp() + make_interval(secs => %(hold_seconds)s)
 WHERE name = %(name)s AND blocked_reason = '' AND due_at <= clock_timestamp()
RETURNING id, ready_at
