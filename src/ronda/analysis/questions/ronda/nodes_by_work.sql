/*
title = "Nodes by work"
description = "Captures and bytes each node brought; how it stands. Of equal numbers by name."
tables = ["nodes", "captures"]

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
y = ["captures"]
*/
SELECT
    nodes.name,
    nodes.country,
    nodes.standing,
    count(captures.url) AS captures,
    CAST(coalesce(sum(captures.stored_bytes), 0) AS BIGINT) AS stored_bytes
FROM nodes
LEFT JOIN captures ON captures.node = nodes.id AND captures.fetched_at >= CAST($since AS TIMESTAMP)
GROUP BY nodes.id, nodes.name, nodes.country, nodes.standing
ORDER BY captures DESC, nodes.name
LIMIT $top;
