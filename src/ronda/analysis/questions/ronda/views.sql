-- The host of a capture's URL, as browsers write it.
CREATE VIEW captures_with_host AS
SELECT *, regexp_extract(url, '^[a-zA-Z]+://([^/?#]+)', 1) AS host FROM captures;
