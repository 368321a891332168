-- In the lake: author and day of every revision; an author by the key that authors_named.sql has, a hidden one is NULL.
SELECT hash("user") AS author,
       "user" IS NULL AS is_hidden,
       greatest(0, least(65535, CAST("timestamp" AS DATE) - $epoch::DATE))::USMALLINT AS day
FROM revisions
