-- In the lake: how much of a page is here, its newest revision, and the parents it names that are not on it.
WITH page AS MATERIALIZED (
    SELECT revid, parentid, timestamp, is_user_hidden, is_comment_hidden, is_text_hidden
      FROM revisions
     WHERE wiki = $wiki AND pageid = $pageid
)
SELECT count(*),
       count(*) FILTER (is_user_hidden OR is_comment_hidden OR is_text_hidden),
       count(*) FILTER (NOT is_text_hidden),
       arg_max(revid, (timestamp, revid)),
       max(timestamp),
       (SELECT coalesce(list(DISTINCT parentid), [])
          FROM page AS child
         WHERE parentid <> 0 AND NOT EXISTS (SELECT 1 FROM page AS parent WHERE parent.revid = child.parentid))
  FROM page
