/*
title = "What students like"
description = """
Posts with a score above the mean of all posts and at least one comment about university, college, student, teacher or
professor, in any case and also within a longer word. The highest score first, then by id.
"""
tables = ["posts", "comments"]

[parameters.words]
type = "VARCHAR"
default = "university|college|student|teacher|professor"
title = "Words to look for, as a regular expression"

[parameters.as_the_documents]
type = "BOOLEAN"
default = false
title = "As the documents' code: deleted texts count, comments without a sentiment do not"
*/
WITH about_students AS (
    SELECT coalesce(regexp_extract(permalink, 'comments/([^/]+)/', 1), '') AS post_id, count(*) AS comments
    FROM comments
    WHERE regexp_matches(body, '(?i)' || $words)
        AND ($as_the_documents OR body NOT IN ('[deleted]', '[removed]'))
        AND (NOT $as_the_documents OR sentiment IS NOT NULL)
    GROUP BY coalesce(regexp_extract(permalink, 'comments/([^/]+)/', 1), '')
)
SELECT
    posts.id,
    max(posts.score) AS score,
    min(posts.url) AS url,
    min(posts.title) AS title,
    max(about_students.comments) AS comments
FROM posts
JOIN about_students ON about_students.post_id = posts.id
CROSS JOIN mean_of_posts
WHERE posts.score > mean_of_posts.mean_score
GROUP BY posts.id
ORDER BY score DESC, posts.id;

-- rows:
WITH sums AS (
    SELECT
        sum(empty) AS empty,
        sum(CASE WHEN $as_the_documents THEN 0 ELSE deleted END) AS deleted,
        sum(CASE WHEN $as_the_documents THEN unscored + deleted_unscored ELSE 0 END) AS unscored,
        sum(CASE WHEN post_id <> '' THEN 0 WHEN $as_the_documents THEN scored + deleted_scored
            ELSE scored + unscored END) AS lost
    FROM comments_by_post
)
SELECT * FROM posts_left_out
UNION ALL
SELECT 'comments' AS "table", 'no text' AS reason, empty AS "rows" FROM sums
UNION ALL
SELECT 'comments' AS "table", 'a deleted or removed text' AS reason, deleted AS "rows" FROM sums
UNION ALL
SELECT 'comments' AS "table", 'no sentiment' AS reason, unscored AS "rows" FROM sums
UNION ALL
SELECT 'comments' AS "table", 'no post in its permalink' AS reason, lost AS "rows" FROM sums;
