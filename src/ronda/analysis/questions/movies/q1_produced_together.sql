/*
title = "Movies that countries produced together"
description = """
Titles and genres of the movies of 2000 to 2009 that Argentina and Spain produced together, alone or with others. In
order of year, title and id.
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
*/
SELECT title, genres, year, id
FROM complete_movies
WHERE (list_has_all(countries, $countries) OR ($any_of_them AND list_has_any(countries, $countries)))
    AND year BETWEEN $from_year AND $to_year
ORDER BY year, title, id;

-- rows:
SELECT * FROM movies_left_out;
