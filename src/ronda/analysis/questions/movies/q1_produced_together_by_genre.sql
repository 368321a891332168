/*
title = "Movies that countries produced together, by genre"
description = """
The same movies as in q1_produced_together under each of their genres. A movie with three genres stands in three rows, one
without any in none. The most frequent genre first, then by name.
"""
tables = ["movies"]

[parameters.countries]
type = "VARCHAR[]"
default = ["Argentina", "Spain"]
title = "Countries, all of which took part"

[parameters.any_of_them]
type = "BOOLEAN"
default = false
title = "One of the countries is enough"

[parameters.from_year]
type = "BIGINT"
default = 2000
title = "From year"

[parameters.to_year]
type = "BIGINT"
default = 2009
title = "To year"

[drawing]
kind = "bar"
x = "genre"
y = ["movies"]
*/
WITH together AS (
    SELECT title, unnest(genres) AS genre
    FROM complete_movies
    WHERE (list_has_all(countries, $countries) OR ($any_of_them AND list_has_any(countries, $countries)))
        AND year BETWEEN $from_year AND $to_year
)
SELECT genre, count(*) AS movies, list_sort(array_agg(title)) AS titles
FROM together
GROUP BY genre
ORDER BY movies DESC, genre;

-- rows:
SELECT * FROM movies_left_out;
