-- In the lake: the first and the last moment of a page's newest revisions.
SELECT max(timestamp), min(timestamp)
  FROM (SELECT timestamp FROM revisions WHERE wiki = $wiki AND pageid = $pageid ORDER BY timestamp DESC LIMIT $size)
