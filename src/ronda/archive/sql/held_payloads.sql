-- Of pairs of source and digest: the first capture of the source that has this payload whole, and still counts.
SELECT DISTINCT ON (c.source, c.digest) c.source, c.digest, c.id, c.url, c.fetched_at
  FROM unnest(%(sources)s::uuid[], %(digests)s::text[]) AS wanted (source, digest)
  JOIN archive_capture c ON c.source = wanted.source AND c.digest = wanted.digest
 WHERE c.refers_to_id IS NULL AND c.truncated = '' AND c.voided_at IS NULL AND c.forgotten_at IS NULL
 ORDER BY c.source, c.digest, c.id
