/*
title = "The happiest meme"
description = """
The posts with an image whose comments sound best on average; the first row is the answer, the others follow in case its
image is gone. Of equal means the one with the smaller id comes first.
"""
tables = ["posts", "comments"]

[parameters.top]
type = "BIGINT"
default = 10
title = "How many posts"

[parameters.min_comments]
type = "BIGINT"
default = 1
title = "Fewest comments with a sentiment"

[parameters.image]
type = "VARCHAR"
default = '\.(jpe?g|png|gif|gifv|webp)([?#]|$)|^https?://(i\.redd\.it|i\.imgur\.com|i\.reddituploads\.com)/'
title = "What the address of an image looks like, as a regular expression"

[parameters.as_the_documents]
type = "BOOLEAN"
default = false
title = "As the documents' code: deleted texts count, any address does for an image"

[drawing]
kind = "bar"
x = "id"
y = ["mean_sentiment"]
*/
WITH sounding AS (
    SELECT
        post_id,
        CASE WHEN $as_the_documents THEN scored + deleted_scored ELSE scored END AS comments,
        CASE WHEN $as_the_documents THEN coalesce(sentiment_millionths, 0) + coalesce(deleted_millionths, 0)
            ELSE sentiment_millionths END AS millionths
    FROM comments_by_post
)
SELECT
    posts.id,
    max(CAST(sounding.millionths AS DOUBLE) / (sounding.comments * 1000000)) AS mean_sentiment,
    max(sounding.comments) AS comments,
    min(posts.url) AS url,
    max(posts.score) AS score,
    min(posts.title) AS title
FROM posts
JOIN sounding ON sounding.post_id = posts.id
WHERE sounding.comments >= $min_comments
    AND sounding.comments > 0
    AND posts.score IS NOT NULL
    AND posts.url IS NOT NULL
    AND ($as_the_documents OR regexp_matches(posts.url, '(?i)' || $image))
GROUP BY posts.id
ORDER BY mean_sentiment DESC, posts.id
LIMIT $top;

-- rows:
WITH sums AS (
    SELECT
        sum(empty) AS empty,
        sum(CASE WHEN $as_the_documents THEN 0 ELSE deleted END) AS deleted,
        sum(CASE WHEN $as_the_documents THEN unscored + deleted_unscored ELSE unscored END) AS unscored,
        sum(CASE WHEN post_id <> '' THEN 0 WHEN $as_the_documents THEN scored + deleted_scored
            ELSE scored END) AS lost
    FROM comments_by_post
)
SELECT * FROM posts_left_out
UNION ALL
SELECT 'posts' AS "table", 'no address of an image' AS reason, count(*) AS "rows"
FROM posts
WHERE score IS NOT NULL
    AND id IS NOT NULL
    AND (url IS NULL OR NOT ($as_the_documents OR regexp_matches(url, '(?i)' || $image)))
UNION ALL
SELECT 'comments' AS "table", 'no text' AS reason, empty AS "rows" FROM sums
UNION ALL
SELECT 'comments' AS "table", 'a deleted or removed text' AS reason, deleted AS "rows" FROM sums
UNION ALL
SELECT 'comments' AS "table", 'no sentiment' AS reason, unscored AS "rows" FROM sums
UNION ALL
SELECT 'comments' AS "table", 'no post in its permalink' AS reason, lost AS "rows" FROM sums;
