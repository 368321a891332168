/*
title = "People with the most revisions"
description = "By wiki and name; how many articles, and how many revisions were minor."
tables = ["revisions"]

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
x = "user"
y = ["revisions"]
*/
SELECT
    wiki,
    "user",
    count(*) AS revisions,
    count(DISTINCT pageid) AS articles,
    count(*) FILTER (WHERE minor) AS minor
FROM revisions
WHERE "timestamp" >= CAST($since AS TIMESTAMP) AND "user" IS NOT NULL
GROUP BY wiki, "user"
ORDER BY revisions DESC, wiki, "user"
LIMIT $top;
