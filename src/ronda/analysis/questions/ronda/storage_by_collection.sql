/*
title = "Storage by collection"
description = "Bytes that the versions of each collection take, and bytes that needed not be stored twice."
tables = ["sources", "versions"]

[drawing]
kind = "bar"
x = "collection"
y = ["bytes_stored"]
*/
SELECT
    sources.collection,
    count(DISTINCT sources.id) AS sources,
    count(*) AS versions,
    CAST(sum(versions.bytes_stored) AS BIGINT) AS bytes_stored,
    CAST(sum(versions.bytes_saved) AS BIGINT) AS bytes_saved
FROM versions
JOIN sources ON sources.id = versions.source_id
GROUP BY sources.collection
ORDER BY bytes_stored DESC, sources.collection;
