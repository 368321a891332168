-- In the lake: parents that revisions of a page name and that are not here, the first thousand. A parent may stand on
-- another page of the wiki, where histories were merged or split.
WITH named AS (
    SELECT DISTINCT parentid FROM revisions WHERE wiki = $wiki AND pageid = $pageid AND parentid <> 0
)
SELECT parentid
  FROM named
 WHERE parentid NOT IN (
     SELECT revid FROM revisions
      WHERE wiki = $wiki AND revid BETWEEN (SELECT min(parentid) FROM named) AND (SELECT max(parentid) FROM named)
 )
 ORDER BY parentid
 LIMIT 1000
