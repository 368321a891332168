-- Every URL that is not the same in two visits, and what became of it. What was asked for and not answered, was answered
-- only in part, or was left for want of budget is neither added nor removed: nobody knows. A page that answers 404 or 410
-- is removed; any other error hides it. A URL that one visit has not met is new or gone only if what led there says so:
-- where that is as it was, or was not read, it is the visit that fell short, not the site that changed.
WITH RECURSIVE before AS (
    SELECT p.id, p.url, p.url_digest, p.role, p.state, p.status, p.found_on_id, p.is_unchanged, p.capture_id, c.digest,
           (p.capture_id IS NOT NULL OR p.is_unchanged) AND p.status < 400
             AND coalesce(c.truncated, '') IN ('', 'length') AS is_there
      FROM rounds_visitpage p LEFT JOIN archive_capture c ON c.id = p.capture_id
     WHERE p.visit_id = %(before)s
), after AS (
    SELECT p.id, p.url, p.url_digest, p.role, p.state, p.status, p.found_on_id, p.is_unchanged, p.capture_id, c.digest,
           p.reason,
           (p.capture_id IS NOT NULL OR p.is_unchanged) AND p.status < 400
             AND coalesce(c.truncated, '') IN ('', 'length') AS is_there
      FROM rounds_visitpage p LEFT JOIN archive_capture c ON c.id = p.capture_id
     WHERE p.visit_id = %(after)s
), paired AS MATERIALIZED (
    SELECT coalesce(b.url, a.url) AS url, url_digest, coalesce(b.role, a.role) AS role,
           coalesce(a.status, 0) AS status_before, coalesce(b.status, 0) AS status_after,
           coalesce(b.reason, '') AS reason, a.capture_id AS capture_before, b.capture_id AS capture_after,
           b.digest AS digest_after, a.state = 'done' AS is_read_before, b.state = 'done' AS is_read_after,
           coalesce(b.found_on_id, a.found_on_id) AS found_on,
           CASE WHEN coalesce(a.is_there, false) AND coalesce(b.is_there, false) THEN
                     CASE WHEN a.status = b.status AND (a.digest = b.digest OR b.is_unchanged) THEN 'unchanged'
                          ELSE 'changed' END
                WHEN coalesce(b.is_there, false) THEN
                     CASE WHEN a.url IS NULL THEN 'new?' WHEN a.status IN (404, 410) THEN 'added' ELSE 'missed' END
                WHEN coalesce(a.is_there, false) THEN
                     CASE WHEN b.url IS NULL THEN 'gone?' WHEN b.status IN (404, 410) THEN 'removed' ELSE 'failed' END
           END AS fate
      FROM before a FULL JOIN after b USING (url_digest)
), finders AS (
    SELECT id, url_digest FROM before UNION ALL SELECT id, url_digest FROM after
), met_once AS MATERIALIZED (
    SELECT p.url_digest, p.fate, f.url_digest AS finder
      FROM paired p JOIN finders f ON f.id = p.found_on WHERE p.fate IN ('new?', 'gone?')
), traced AS (
    SELECT url_digest, fate, status_after, is_read_before, is_read_after
      FROM paired WHERE fate NOT IN ('new?', 'gone?')
     UNION ALL
    SELECT m.url_digest,
           CASE WHEN m.fate = 'new?' THEN
                     -- The same redirect may lead elsewhere: it has no payload to tell.
                     CASE WHEN t.fate = 'missed' OR t.fate = 'unchanged' AND t.status_after < 300
                            OR t.fate = 'changed' AND NOT t.is_read_before THEN 'missed' ELSE 'added' END
                ELSE CASE WHEN t.fate = 'failed' OR t.fate = 'unchanged' AND t.status_after < 300
                            OR t.fate = 'changed' AND NOT t.is_read_after THEN 'failed' ELSE 'removed' END
           END, 0, true, true
      FROM met_once m JOIN traced t ON t.url_digest = m.finder
), cut AS (
    SELECT EXISTS (SELECT FROM rounds_visitpage WHERE visit_id = %(before)s AND state = 'left'
                                                  AND reason = ANY(%(budgets)s)) AS is_before,
           EXISTS (SELECT FROM rounds_visitpage WHERE visit_id = %(after)s AND state = 'left'
                                                  AND reason = ANY(%(budgets)s)) AS is_after
), traced_to_the_end AS (
    SELECT p.*,
           CASE p.fate WHEN 'new?' THEN
                             coalesce(t.fate, CASE WHEN p.found_on IS NULL AND cut.is_before THEN 'missed'
                                                   ELSE 'added' END)
                       WHEN 'gone?' THEN
                             coalesce(t.fate, CASE WHEN p.found_on IS NULL AND cut.is_after THEN 'failed'
                                                   ELSE 'removed' END)
                       ELSE p.fate END AS found_fate
      FROM paired p CROSS JOIN cut LEFT JOIN traced t ON t.url_digest = p.url_digest
), judged AS (
    -- What an earlier version holds of a page that was missed tells whether it changed since.
    SELECT p.url, p.url_digest, p.role, p.status_before, p.status_after, p.reason,
           coalesce(CASE WHEN older.status < 400 THEN older.id END, p.capture_before) AS capture_before,
           p.capture_after,
           CASE WHEN older.status IN (404, 410) THEN 'added'
                WHEN older.status < 400 AND older.digest <> p.digest_after THEN 'changed'
                ELSE p.found_fate END AS fate
      FROM traced_to_the_end p
      LEFT JOIN LATERAL (
          SELECT c.id, c.status, c.digest FROM archive_capture c
           WHERE p.found_fate = 'missed' AND c.url_digest = p.url_digest AND c.source = %(source)s
             AND c.visit < %(before)s AND c.truncated = '' AND c.voided_at IS NULL AND c.forgotten_at IS NULL
           ORDER BY c.fetched_at DESC LIMIT 1) older ON true
), kept AS (
    INSERT INTO rounds_pagediff (diff_id, url, url_digest, role, fate, status_before, status_after, reason,
                                 capture_before_id, capture_after_id, counts, components, places, nature)
    SELECT %(diff)s, url, url_digest, role, fate, status_before, status_after, reason, capture_before, capture_after,
           '{}', '{}', '[]', ''
      FROM judged WHERE fate <> 'unchanged'
)
SELECT fate, count(*) FROM judged WHERE fate IS NOT NULL GROUP BY fate
