-- In the lake: which of these revisions are nowhere in the wiki, the first thousand. A parent may stand on another page,
-- where histories were merged or split.
SELECT parentid
  FROM (SELECT unnest($parents::BIGINT[]) AS parentid)
 WHERE parentid NOT IN (
     SELECT revid FROM revisions
      WHERE wiki = $wiki AND revid BETWEEN list_min($parents::BIGINT[]) AND list_max($parents::BIGINT[])
 )
 ORDER BY parentid
 LIMIT 1000
