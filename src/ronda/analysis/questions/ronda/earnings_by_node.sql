/*
title = "What nodes earned"
description = "Credits that fetching earned, by node, and URLs that were paid for."
tables = ["credits", "nodes"]

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
x = "name"
y = ["credits"]
*/
SELECT
    nodes.name,
    nodes.country,
    CAST(sum(credits.micros) AS DOUBLE) / 1000000 AS credits,
    CAST(sum(credits.urls) AS BIGINT) AS urls
FROM credits
JOIN nodes ON nodes.id = credits.node
WHERE credits.kind = 'earned' AND credits.account = 'pending' AND credits.made_at >= CAST($since AS TIMESTAMP)
GROUP BY nodes.id, nodes.name, nodes.country
ORDER BY credits DESC, nodes.name
LIMIT $top;
