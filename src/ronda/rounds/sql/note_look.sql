-- A person looked at a version; what is older than one looked at before changes nothing.
INSERT INTO rounds_lastlook AS old (person_id, source_id, number, looked_at)
VALUES (%(person)s, %(source)s, %(number)s, now())
    ON CONFLICT (person_id, source_id) DO UPDATE
   SET number = EXCLUDED.number, looked_at = EXCLUDED.looked_at
 WHERE old.number < EXCLUDED.number
