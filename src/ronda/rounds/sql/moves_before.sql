-- Of pages that lead on: how many pages before them did, counted as far as it matters. Whatever a page leads on to has its
-- role and depth; links and parts differ in one of them.
WITH RECURSIVE way AS (
    SELECT page.id AS page, page.found_on_id, page.role, page.depth, 0 AS moves
      FROM rounds_visitpage page WHERE page.id = ANY (%(pages)s)
     UNION ALL
    SELECT way.page, before.found_on_id, before.role, before.depth, way.moves + 1
      FROM way
      JOIN rounds_visitpage before ON before.id = way.found_on_id
                                  AND before.role = way.role AND before.depth = way.depth
     WHERE way.moves < %(most)s
)
SELECT way.page, max(way.moves) FROM way GROUP BY way.page
