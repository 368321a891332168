/*
title = "Captures by media type"
description = "How many captures there are of each type, and how much they hold."
tables = ["captures"]

[parameters.since]
type = "VARCHAR"
default = "1970-01-01"
title = "Since this day"

[parameters.top]
type = "BIGINT"
default = 20
title = "How many rows"

[drawing]
kind = "bar"
x = "mime"
y = ["captures"]
*/
SELECT
    mime,
    count(*) AS captures,
    CAST(sum(payload_bytes) AS BIGINT) AS payload_bytes,
    CAST(sum(stored_bytes) AS BIGINT) AS stored_bytes
FROM captures
WHERE fetched_at >= CAST($since AS TIMESTAMP)
GROUP BY mime
ORDER BY captures DESC, mime
LIMIT $top;
