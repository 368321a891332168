/*
title = "Mean score of all posts"
description = "Every post with a whole number as score counts, deleted ones too."
tables = ["posts"]

[drawing]
kind = "number"
y = ["mean_score"]
*/
SELECT mean_score, posts FROM mean_of_posts;

-- rows:
SELECT 'posts' AS "table", 'no score' AS reason, count(*) AS "rows" FROM posts WHERE score IS NULL;
