/*
title = "Credits by kind of transfer"
description = "What went into accounts, by what for. A credit is a million micros."
tables = ["credits"]

[parameters.since]
type = "VARCHAR"
default = "1970-01-01"
title = "Since this day"

[drawing]
kind = "bar"
x = "kind"
y = ["credits"]
*/
SELECT
    kind,
    count(*) AS entries,
    CAST(sum(CASE WHEN micros > 0 THEN micros ELSE 0 END) AS DOUBLE) / 1000000 AS credits
FROM credits
WHERE made_at >= CAST($since AS TIMESTAMP)
GROUP BY kind
ORDER BY credits DESC, kind;
