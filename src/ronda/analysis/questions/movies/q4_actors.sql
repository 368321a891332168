/*
title = "Actors in the most movies of a country"
description = """
In how many movies Argentina took part in since 2000 each actor played; a movie counts once however many roles they have in
it. People are known by name, as in the documents. Equal counts stand in order of the name.
"""
tables = ["movies", "credits"]

[parameters.country]
type = "VARCHAR"
default = "Argentina"
title = "Country"

[parameters.since_year]
type = "BIGINT"
default = 2000
title = "Since year"

[parameters.top]
type = "BIGINT"
default = 10
title = "How many actors"

[drawing]
kind = "bar"
x = "actor"
y = ["movies"]
*/
WITH chosen AS (
    SELECT DISTINCT id
    FROM complete_movies
    WHERE list_contains(countries, $country) AND year >= $since_year
),
played AS (
    SELECT credits.id, unnest(names_in(credits."cast")) AS actor
    FROM credits
    JOIN chosen ON chosen.id = credits.id
)
SELECT actor, count(DISTINCT id) AS movies
FROM played
GROUP BY actor
ORDER BY movies DESC, actor
LIMIT $top;

-- rows:
SELECT * FROM movies_left_out
UNION ALL
SELECT 'credits' AS "table", 'no id or cast' AS reason, count(*) AS "rows"
FROM credits
WHERE id IS NULL OR "cast" IS NULL
UNION ALL
SELECT
    'credits' AS "table",
    'the cast is no list' AS reason,
    -- Counted behind the join: as a condition it would be asked of every movie.
    count(*) FILTER (WHERE names_in(credits."cast") IS NULL) AS "rows"
FROM credits
JOIN (
    SELECT DISTINCT id
    FROM complete_movies
    WHERE list_contains(countries, $country) AND year >= $since_year
) AS chosen ON chosen.id = credits.id
WHERE credits."cast" IS NOT NULL;
