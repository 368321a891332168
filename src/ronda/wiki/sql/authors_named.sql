-- In the lake: all authors, in the order of the keys that hot_columns.sql names them by.
SELECT DISTINCT hash("user") AS author, "user" FROM revisions WHERE "user" IS NOT NULL ORDER BY author
