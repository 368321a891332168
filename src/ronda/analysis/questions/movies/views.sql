-- Every movie, and what it lacks (NULL: nothing). A list that is there and empty, as [] is, lacks nothing. Kept, as every
-- question reads it twice.
CREATE TABLE judged_movies AS
SELECT
    id,
    title,
    overview,
    budget,
    revenue,
    CAST(EXTRACT(YEAR FROM release_date) AS BIGINT) AS year,
    list_transform(genres, genre -> genre.name) AS genres,
    list_transform(production_countries, country -> country.name) AS countries,
    CASE
        WHEN id IS NULL THEN 'no id'
        WHEN title IS NULL THEN 'no title'
        WHEN genres IS NULL THEN 'no genres'
        WHEN release_date IS NULL THEN 'no release date'
        WHEN overview IS NULL THEN 'no overview'
        WHEN production_countries IS NULL THEN 'no producing countries'
        WHEN spoken_languages IS NULL THEN 'no spoken languages'
        WHEN budget IS NULL THEN 'no budget'
        WHEN revenue IS NULL THEN 'no revenue'
    END AS lacks
FROM movies;

CREATE VIEW complete_movies AS
SELECT * FROM judged_movies WHERE lacks IS NULL;

CREATE VIEW movies_left_out AS
SELECT 'movies' AS "table", lacks AS reason, count(*) AS "rows"
FROM judged_movies
WHERE lacks IS NOT NULL
GROUP BY lacks;
