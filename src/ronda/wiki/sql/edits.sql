-- In the lake: the revisions of articles of one wiki as statistics need them, whole histories in order.
SELECT wiki, pageid, revid, parentid, "user", userid, timestamp, size, sha1, minor
FROM revisions
WHERE wiki = $wiki AND pageid IN (SELECT unnest($pageids::BIGINT[]))
ORDER BY pageid, timestamp, revid
