/*
title = "Best and worst rated movie of a country"
description = """
Among the movies Argentina took part in since 2000 that have ratings: the highest and the lowest mean, with the lowest and
highest rating and their number. Of equal means the one with the smaller id. Ratings know a movie by MovieLens's movieId, movies
by TMDB's id: links.csv says which is which.
"""
tables = ["movies", "ratings", "links"]

[parameters.country]
type = "VARCHAR"
default = "Argentina"
title = "Country"

[parameters.since_year]
type = "BIGINT"
default = 2000
title = "Since year"

[parameters.min_ratings]
type = "BIGINT"
default = 1
title = "Fewest ratings a movie must have"

[parameters.as_the_documents]
type = "BOOLEAN"
default = false
title = "Take id for movieId even if links.csv is there"

[cautions]
links = """
Without links.csv a movie's id was taken for a movieId, as the documents do. These are numbers of two different catalogues:
the ratings belong to other movies. Hand in links.csv for the true answer.
"""

[drawing]
kind = "bar"
x = "title"
y = ["mean_rating"]
*/
WITH chosen AS (
    SELECT id, min(title) AS title
    FROM complete_movies
    WHERE list_contains(countries, $country) AND year >= $since_year
    GROUP BY id
),
keys AS (
    SELECT DISTINCT links.movieId, chosen.id, chosen.title, 'links.csv' AS joined_by
    FROM links
    JOIN chosen ON chosen.id = links.tmdbId
    WHERE $has_links AND NOT $as_the_documents AND links.movieId IS NOT NULL
    UNION ALL
    SELECT id AS movieId, id, title, 'id taken for movieId' AS joined_by
    FROM chosen
    WHERE NOT $has_links OR $as_the_documents
),
rated AS (
    SELECT
        keys.id,
        keys.title,
        keys.joined_by,
        CAST(sum(CAST(round(ratings.rating * 1000) AS BIGINT)) AS DOUBLE) / (count(*) * 1000) AS mean_rating,
        min(ratings.rating) AS lowest,
        max(ratings.rating) AS highest,
        count(*) AS ratings
    FROM ratings
    JOIN keys ON keys.movieId = ratings.movieId
    WHERE ratings.rating IS NOT NULL
    GROUP BY keys.id, keys.title, keys.joined_by
    HAVING count(*) >= $min_ratings
),
ranked AS (
    SELECT
        *,
        row_number() OVER (ORDER BY mean_rating DESC, id) AS from_the_top,
        row_number() OVER (ORDER BY mean_rating, id) AS from_the_bottom
    FROM rated
)
SELECT 'best' AS place, title, id, mean_rating, lowest, highest, ratings, joined_by
FROM ranked
WHERE from_the_top = 1
UNION ALL
SELECT 'worst' AS place, title, id, mean_rating, lowest, highest, ratings, joined_by
FROM ranked
WHERE from_the_bottom = 1
ORDER BY place;

-- rows:
SELECT * FROM movies_left_out
UNION ALL
-- One condition each: what has no NULL in it, by the segments' own counts, is not even read.
SELECT 'ratings' AS "table", 'no movieId or rating' AS reason, count(*) AS "rows"
FROM ratings
WHERE movieId IS NULL
UNION ALL
SELECT 'ratings' AS "table", 'no movieId or rating' AS reason, count(*) AS "rows"
FROM ratings
WHERE rating IS NULL AND movieId IS NOT NULL
UNION ALL
SELECT 'links' AS "table", 'no movieId or tmdbId' AS reason, count(*) AS "rows"
FROM links
WHERE movieId IS NULL OR tmdbId IS NULL;
