-- One process of one `ronda up`, as its supervisor sees it now.
INSERT INTO supervision_process AS known
       (id, instance, machine, name, role, pid, state, doing, restarts, last_words, version,
        started_at, beat_at, reported_at)
VALUES (gen_random_uuid(), %(instance)s, %(machine)s, %(name)s, %(role)s, %(pid)s, %(state)s, %(doing)s, %(restarts)s,
        %(last_words)s, %(version)s, %(started_at)s, %(beat_at)s, now())
ON CONFLICT (instance, name) DO UPDATE
   SET pid = excluded.pid, state = excluded.state, doing = excluded.doing, restarts = excluded.restarts,
       last_words = excluded.last_words, started_at = excluded.started_at, beat_at = excluded.beat_at,
       reported_at = excluded.reported_at
