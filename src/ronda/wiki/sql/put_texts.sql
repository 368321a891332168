-- In the lake: texts of `incoming` that nobody brought yet, in the order in which they came.
INSERT INTO texts
SELECT sha1, text
FROM incoming
WHERE sha1 NOT IN (SELECT sha1 FROM texts WHERE sha1 IN (SELECT sha1 FROM incoming))
ORDER BY place
