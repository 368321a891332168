-- How many comments each post has and how they sound, computed once for all questions. A comment is kept if its text is
-- there and was not deleted; the documents' code keeps it if a text and a sentiment are there. Sums are of whole
-- millionths: exact, in whatever order and by however many threads they are added.
CREATE TABLE comments_by_post AS
SELECT
    post_id,
    count(*) FILTER (WHERE is_empty) AS empty,
    count(*) FILTER (WHERE is_deleted) AS deleted,
    count(*) FILTER (WHERE is_deleted AND sentiment IS NULL) AS deleted_unscored,
    count(*) FILTER (WHERE is_kept AND sentiment IS NULL) AS unscored,
    count(*) FILTER (WHERE is_kept AND sentiment IS NOT NULL) AS scored,
    count(*) FILTER (WHERE is_deleted AND sentiment IS NOT NULL) AS deleted_scored,
    sum(CAST(round(sentiment * 1000000) AS BIGINT)) FILTER (WHERE is_kept) AS sentiment_millionths,
    sum(CAST(round(sentiment * 1000000) AS BIGINT)) FILTER (WHERE is_deleted) AS deleted_millionths
FROM (
    SELECT
        coalesce(regexp_extract(permalink, 'comments/([^/]+)/', 1), '') AS post_id,
        sentiment,
        body IS NULL AS is_empty,
        body IS NOT NULL AND body IN ('[deleted]', '[removed]') AS is_deleted,
        body IS NOT NULL AND body NOT IN ('[deleted]', '[removed]') AS is_kept
    FROM comments
) AS read_comments
GROUP BY post_id;

CREATE TABLE mean_of_posts AS
SELECT CAST(sum(score) AS DOUBLE) / count(score) AS mean_score, count(score) AS posts FROM posts;

CREATE VIEW posts_left_out AS
SELECT 'posts' AS "table", 'no score' AS reason, count(*) AS "rows" FROM posts WHERE score IS NULL
UNION ALL
SELECT 'posts' AS "table", 'no id' AS reason, count(*) AS "rows" FROM posts WHERE score IS NOT NULL AND id IS NULL;
