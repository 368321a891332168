-- In the lake: how much of a page is here, and its newest revision.
SELECT count(*),
       count(*) FILTER (is_user_hidden OR is_comment_hidden OR is_text_hidden),
       count(*) FILTER (NOT is_text_hidden),
       arg_max(revid, (timestamp, revid)),
       max(timestamp)
  FROM revisions
 WHERE wiki = $wiki AND pageid = $pageid
