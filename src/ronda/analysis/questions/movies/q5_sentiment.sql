/*
title = "Revenue for each unit of budget, by the sentiment of the overview"
description = """
Of the movies with a budget and a revenue: the mean and the median of revenue / budget (each rounded to six decimals), all
revenue / all budget, and how many movies, by whether the overview sounds positive (a score of 0 or more) or negative. The
mean is ruled by a few movies with absurdly small budgets; the median is not.
"""
tables = ["movies"]

[parameters.threshold]
type = "DOUBLE"
default = 0.0
title = "Score from which an overview is positive"

[drawing]
kind = "bar"
x = "sentiment"
y = ["median_ratio"]
*/
WITH scored AS (
    SELECT
        CASE WHEN sentiment(overview) >= $threshold THEN 'POSITIVE' ELSE 'NEGATIVE' END AS sentiment,
        CAST(round(revenue / budget * 1000000) AS BIGINT) AS millionths,
        CAST(revenue AS DECIMAL(18, 2)) AS revenue,
        CAST(budget AS DECIMAL(18, 2)) AS budget
    FROM complete_movies
    WHERE budget <> 0 AND revenue <> 0
),
labels AS (
    SELECT 'NEGATIVE' AS sentiment
    UNION ALL
    SELECT 'POSITIVE' AS sentiment
)
SELECT
    labels.sentiment,
    count(scored.millionths) AS movies,
    CAST(sum(scored.millionths) AS DOUBLE) / (count(scored.millionths) * 1000000) AS mean_ratio,
    median(CAST(scored.millionths AS DOUBLE) / 1000000) AS median_ratio,
    CAST(sum(scored.revenue) AS DOUBLE) / CAST(sum(scored.budget) AS DOUBLE) AS total_ratio,
    $sentiment_model AS model
FROM labels
LEFT JOIN scored ON scored.sentiment = labels.sentiment
GROUP BY labels.sentiment
ORDER BY labels.sentiment;

-- rows:
SELECT * FROM movies_left_out
UNION ALL
SELECT 'movies' AS "table", 'a budget or revenue of 0' AS reason, count(*) AS "rows"
FROM complete_movies
WHERE budget = 0 OR revenue = 0;
