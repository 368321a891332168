-- In the lake: one part of all authors, in the order of the keys that hot_columns.sql names them by; their first bits say
-- which part.
SELECT DISTINCT hash("user") AS author, "user"
FROM revisions
WHERE "user" IS NOT NULL AND (hash("user") >> (64 - $bits)::UBIGINT) = $part::UBIGINT
ORDER BY author
