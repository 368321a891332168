/*
title = "Captures by day"
description = "How much was fetched each day (UTC), and how much of it was already there."
tables = ["captures"]

[parameters.since]
type = "VARCHAR"
default = "1970-01-01"
title = "Since this day"

[drawing]
kind = "line"
x = "day"
y = ["captures"]
*/
SELECT
    CAST(fetched_at AS DATE) AS day,
    count(*) AS captures,
    count(*) FILTER (WHERE is_revisit) AS revisits,
    CAST(sum(stored_bytes) AS BIGINT) AS stored_bytes
FROM captures
WHERE fetched_at >= CAST($since AS TIMESTAMP)
GROUP BY CAST(fetched_at AS DATE)
ORDER BY day;
