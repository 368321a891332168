-- The next moment at which Wikimedia may be asked, for all its hosts and all our machines together.
INSERT INTO wiki_gate AS gate (name, free_at)
VALUES (%(name)s, clock_timestamp() + make_interval(secs => %(gap_seconds)s))
ON CONFLICT (name) DO UPDATE
   SET free_at = greatest(gate.free_at, clock_timestamp()) + make_interval(secs => %(gap_seconds)s)
RETURNING extract(epoch FROM free_at - clock_timestamp()) - %(gap_seconds)s
