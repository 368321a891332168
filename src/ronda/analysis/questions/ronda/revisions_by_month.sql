/*
title = "Revisions by month"
description = "How many revisions of all wikis were made each month, and by how many people."
tables = ["revisions"]

[parameters.since]
type = "VARCHAR"
default = "1970-01-01"
title = "Since this day"

[drawing]
kind = "line"
x = "month"
y = ["revisions"]
*/
SELECT
    CAST(date_trunc('month', "timestamp") AS DATE) AS month,
    count(*) AS revisions,
    count(DISTINCT "user") AS people,
    count(*) FILTER (WHERE minor) AS minor
FROM revisions
WHERE "timestamp" >= CAST($since AS TIMESTAMP)
GROUP BY CAST(date_trunc('month', "timestamp") AS DATE)
ORDER BY month;
