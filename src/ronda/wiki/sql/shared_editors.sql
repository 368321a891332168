-- In the lake: who edited both of two articles, those with most edits first.
SELECT "user"
FROM revisions
WHERE "user" IS NOT NULL
  AND ((wiki = $wiki_a AND pageid = $pageid_a) OR (wiki = $wiki_b AND pageid = $pageid_b))
GROUP BY "user"
HAVING count(*) FILTER (wiki = $wiki_a AND pageid = $pageid_a) > 0
   AND count(*) FILTER (wiki = $wiki_b AND pageid = $pageid_b) > 0
ORDER BY count(*) DESC, "user"
LIMIT 50
