/*
title = "Articles with the most revisions"
description = "Revisions, people and how the size changed between the first and the last. Of equal numbers by wiki and title."
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
x = "title"
y = ["revisions"]
*/
SELECT
    wiki,
    max_by(title, revid) AS title,
    count(*) AS revisions,
    count(DISTINCT "user") AS people,
    max_by(size, revid) - min_by(size, revid) AS grown_bytes,
    max("timestamp") AS last_at
FROM revisions
WHERE "timestamp" >= CAST($since AS TIMESTAMP)
GROUP BY wiki, pageid
ORDER BY revisions DESC, wiki, title
LIMIT $top;
