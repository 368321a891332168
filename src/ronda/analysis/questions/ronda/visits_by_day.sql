/*
title = "Visits by day and outcome"
description = "How many visits were opened each day (UTC), and what they found."
tables = ["visits"]

[parameters.since]
type = "VARCHAR"
default = "1970-01-01"
title = "Since this day"

[drawing]
kind = "line"
x = "day"
y = ["visits", "captured"]
*/
SELECT
    CAST(opened_at AS DATE) AS day,
    count(*) AS visits,
    count(*) FILTER (WHERE outcome = 'captured') AS captured,
    count(*) FILTER (WHERE outcome = 'unchanged') AS unchanged,
    count(*) FILTER (WHERE outcome IN ('down', 'refused', 'exhausted')) AS failed
FROM visits
WHERE opened_at >= CAST($since AS TIMESTAMP)
GROUP BY CAST(opened_at AS DATE)
ORDER BY day;
