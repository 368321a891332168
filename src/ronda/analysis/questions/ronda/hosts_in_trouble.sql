/*
title = "Hosts that cannot be fetched freely"
description = "Hosts that asked us to slow down, are blocked, or whose robots.txt is not to be had; the longest queue first."
tables = ["hosts"]

[parameters.top]
type = "BIGINT"
default = 20
title = "How many rows"

[drawing]
kind = "table"
*/
SELECT name, queued, backoff_count, robots_state, blocked_reason, delay_seconds
FROM hosts
WHERE backoff_count > 0 OR coalesce(blocked_reason, '') <> '' OR robots_state IN ('unreachable', 'failed')
ORDER BY queued DESC, backoff_count DESC, name
LIMIT $top;
