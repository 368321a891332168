-- In the lake: of each text of a page that is not here, the first revision that has it.
SELECT min(r.revid)
  FROM revisions r ANTI JOIN texts t ON t.sha1 = r.sha1
 WHERE r.wiki = $wiki AND r.pageid = $pageid AND r.sha1 IS NOT NULL AND NOT r.is_text_hidden
 GROUP BY r.sha1
 ORDER BY 1
