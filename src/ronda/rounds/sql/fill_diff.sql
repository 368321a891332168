-- Every URL that is not the same in two visits, and what became of it. What was asked for and not answered is neither
-- removed nor unchanged: nobody knows. A page that answers 404 or 410 now is removed; any other error hides it.
WITH before AS (
    SELECT p.url, p.url_digest, p.role, p.status, p.is_unchanged, p.capture_id, c.digest,
           (p.capture_id IS NOT NULL OR p.is_unchanged) AND p.status < 400 AS is_there
      FROM rounds_visitpage p LEFT JOIN archive_capture c ON c.id = p.capture_id
     WHERE p.visit_id = %(before)s
), after AS (
    SELECT p.url, p.url_digest, p.role, p.state, p.status, p.reason, p.is_unchanged, p.capture_id, c.digest,
           (p.capture_id IS NOT NULL OR p.is_unchanged) AND p.status < 400 AS is_there
      FROM rounds_visitpage p LEFT JOIN archive_capture c ON c.id = p.capture_id
     WHERE p.visit_id = %(after)s
), judged AS (
    SELECT coalesce(b.url, a.url) AS url, url_digest, coalesce(b.role, a.role) AS role,
           coalesce(a.status, 0) AS status_before, coalesce(b.status, 0) AS status_after,
           coalesce(b.reason, '') AS reason, a.capture_id AS capture_before, b.capture_id AS capture_after,
           CASE WHEN coalesce(a.is_there, false) AND coalesce(b.is_there, false) THEN
                     CASE WHEN a.status = b.status AND (a.digest = b.digest OR b.is_unchanged) THEN 'unchanged'
                          ELSE 'changed' END
                WHEN coalesce(b.is_there, false) THEN 'added'
                WHEN coalesce(a.is_there, false) THEN
                     CASE WHEN b.url IS NULL OR b.status IN (404, 410) THEN 'removed' ELSE 'failed' END
           END AS fate
      FROM before a FULL JOIN after b USING (url_digest)
), kept AS (
    INSERT INTO rounds_pagediff (diff_id, url, url_digest, role, fate, status_before, status_after, reason,
                                 capture_before_id, capture_after_id, counts)
    SELECT %(diff)s, url, url_digest, role, fate, status_before, status_after, reason, capture_before, capture_after, '{}'
      FROM judged WHERE fate <> 'unchanged'
)
SELECT fate, count(*) FROM judged WHERE fate IS NOT NULL GROUP BY fate
