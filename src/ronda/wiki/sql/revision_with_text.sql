-- In the lake: a revision with its text; of several wikis where ids repeat and none was named.
SELECT r.wiki, r.pageid, r.title, r.revid, r."user", r.timestamp, r.comment, r.size, t.text
FROM revisions AS r
LEFT JOIN texts AS t ON t.sha1 = r.sha1
WHERE r.revid = $revid AND ($wiki = '' OR r.wiki = $wiki)
ORDER BY r.wiki
