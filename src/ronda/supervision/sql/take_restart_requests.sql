-- The processes of this `ronda up` that somebody wants restarted; each request is taken once.
UPDATE supervision_process
   SET restart_requested_at = NULL
 WHERE instance = %s AND restart_requested_at IS NOT NULL
RETURNING name
