/*
title = "Captures by HTTP status"
description = "How the web answered."
tables = ["captures"]

[parameters.since]
type = "VARCHAR"
default = "1970-01-01"
title = "Since this day"

[drawing]
kind = "bar"
x = "status"
y = ["captures"]
*/
SELECT status, count(*) AS captures
FROM captures
WHERE fetched_at >= CAST($since AS TIMESTAMP)
GROUP BY status
ORDER BY captures DESC, status;
