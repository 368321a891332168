/*
title = "Where visits found nothing new"
description = "Sources by the share of their ended visits that found them unchanged; at least five visits. The most visits first among equals, then by URL."
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
y = ["unchanged_share"]
*/
SELECT
    sources.url,
    count(*) AS visits,
    count(*) FILTER (WHERE visits.outcome = 'unchanged') AS unchanged,
    CAST(count(*) FILTER (WHERE visits.outcome = 'unchanged') AS DOUBLE) / count(*) AS unchanged_share
FROM visits
JOIN sources ON sources.id = visits.source_id
WHERE visits.outcome IN ('unchanged', 'captured') AND visits.opened_at >= CAST($since AS TIMESTAMP)
GROUP BY sources.url
HAVING count(*) >= 5
ORDER BY unchanged_share DESC, visits DESC, sources.url
LIMIT $top;
