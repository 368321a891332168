-- Of pairs of source and digest: the first capture of the source that has this payload whole, and still counts.
-- Pair by pair (OFFSET 0), each found in the index: with captures of few sources in it, PostgreSQL would rather go through
-- all of a source's.
SELECT DISTINCT ON (wanted.source, wanted.digest) wanted.source, wanted.digest, found.id, found.url, found.fetched_at
  FROM unnest(%(sources)s::uuid[], %(digests)s::text[]) AS wanted (source, digest)
 CROSS JOIN LATERAL (
       SELECT c.id, c.url, c.fetched_at FROM archive_capture c
        WHERE c.source = wanted.source AND c.digest = wanted.digest
          AND c.refers_to_id IS NULL AND c.truncated = '' AND c.voided_at IS NULL AND c.forgotten_at IS NULL
       OFFSET 0
       ) found
 ORDER BY wanted.source, wanted.digest, found.id
