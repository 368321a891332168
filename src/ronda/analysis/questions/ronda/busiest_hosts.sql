/*
title = "Hosts with the most captures"
description = "Captures and bytes by host; the share that was unchanged. Of equal numbers by name."
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
x = "host"
y = ["captures"]
*/
SELECT
    host,
    count(*) AS captures,
    CAST(count(*) FILTER (WHERE is_revisit) AS DOUBLE) / count(*) AS revisit_share,
    CAST(sum(stored_bytes) AS BIGINT) AS stored_bytes
FROM captures_with_host
WHERE fetched_at >= CAST($since AS TIMESTAMP)
GROUP BY host
ORDER BY captures DESC, host
LIMIT $top;
