-- Note URLs as had by a batch; tells which it had not.
INSERT INTO frontier_seen (batch_id, digest)
SELECT %(batch)s::bigint, digest FROM unnest(%(digests)s::uuid[]) AS given (digest) ORDER BY digest
ON CONFLICT DO NOTHING
RETURNING digest
