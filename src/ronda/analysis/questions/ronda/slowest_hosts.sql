/*
title = "Hosts that answer slowest"
description = "By the latency that was measured; the delay kept between two requests beside it."
tables = ["hosts"]

[parameters.top]
type = "BIGINT"
default = 20
title = "How many rows"

[drawing]
kind = "bar"
x = "name"
y = ["latency_seconds"]
*/
SELECT name, country, latency_seconds, delay_seconds
FROM hosts
WHERE latency_seconds IS NOT NULL
ORDER BY latency_seconds DESC, name
LIMIT $top;
