/*
title = "Articles fought over"
description = "Articles by the share of revisions that were reverted, as MediaWiki's tags say; at least ten revisions."
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
y = ["reverted_share"]
*/
SELECT
    wiki,
    max_by(title, revid) AS title,
    count(*) AS revisions,
    count(*) FILTER (WHERE list_contains(tags, 'mw-reverted')) AS reverted,
    CAST(count(*) FILTER (WHERE list_contains(tags, 'mw-reverted')) AS DOUBLE) / count(*) AS reverted_share
FROM revisions
WHERE "timestamp" >= CAST($since AS TIMESTAMP)
GROUP BY wiki, pageid
HAVING count(*) >= 10
ORDER BY reverted_share DESC, revisions DESC, wiki, title
LIMIT $top;
