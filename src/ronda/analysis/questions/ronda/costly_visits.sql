/*
title = "Sources by what their visits cost"
description = "Requests, bytes and failures of all visits to a source. The most bytes first, then by URL."
tables = ["sources", "visits"]

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
x = "url"
y = ["size_bytes"]
*/
SELECT
    sources.url,
    count(*) AS visits,
    CAST(sum(visits.requests) AS BIGINT) AS requests,
    CAST(sum(visits.size_bytes) AS BIGINT) AS size_bytes,
    CAST(sum(visits.failures) AS BIGINT) AS failures
FROM visits
JOIN sources ON sources.id = visits.source_id
WHERE visits.opened_at >= CAST($since AS TIMESTAMP)
GROUP BY sources.url
ORDER BY size_bytes DESC, sources.url
LIMIT $top;
