/*
title = "Countries by budget of the movies they produced alone"
description = """
The sum of the budgets of movies with exactly one producing country, by country. Equal sums stand in order of the
country's name.
"""
tables = ["movies"]

[parameters.top]
type = "BIGINT"
default = 5
title = "How many countries"

[drawing]
kind = "bar"
x = "country"
y = ["budget"]
*/
SELECT
    countries[1] AS country,
    CAST(sum(CAST(budget AS DECIMAL(18, 2))) AS BIGINT) AS budget,
    count(*) AS movies
FROM complete_movies
WHERE array_length(countries) = 1
GROUP BY countries[1]
ORDER BY budget DESC, country
LIMIT $top;

-- rows:
SELECT * FROM movies_left_out;
