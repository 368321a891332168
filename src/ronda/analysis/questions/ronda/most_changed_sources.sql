/*
title = "Sources with the most versions"
description = "How many versions of each source were kept, and when the last one began. Of equal numbers by URL."
tables = ["sources", "versions"]

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
y = ["versions"]
*/
SELECT
    sources.url,
    sources.collection,
    count(*) AS versions,
    max(versions.started_at) AS last_at
FROM versions
JOIN sources ON sources.id = versions.source_id
WHERE versions.started_at >= CAST($since AS TIMESTAMP)
GROUP BY sources.url, sources.collection
ORDER BY versions DESC, sources.url
LIMIT $top;
