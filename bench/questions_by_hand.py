"""The five answers about movies as somebody who knows DuckDB would script them: … MOVIES RATINGS CREDITS LINKS."""

from __future__ import annotations

import json
import statistics
import sys

import duckdb
from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

movies, ratings, credits_file, links = sys.argv[1:]
con = duckdb.connect()
con.execute(
    r"""
CREATE TABLE movies AS
SELECT try_cast(id AS BIGINT) AS id, title, year(try_cast(release_date AS DATE)) AS year, overview,
    try_cast(budget AS DOUBLE) AS budget, try_cast(revenue AS DOUBLE) AS revenue,
    regexp_extract_all(genres, '''name'': [''"](.*?)[''"]\}', 1) AS genres,
    regexp_extract_all(production_countries, '''name'': [''"](.*?)[''"]\}', 1) AS countries
FROM read_csv(?, all_varchar = true, ignore_errors = true, header = true, quote = '"', escape = '"', delim = ',')
WHERE try_cast(id AS BIGINT) IS NOT NULL AND title IS NOT NULL AND genres IS NOT NULL AND overview IS NOT NULL
    AND production_countries IS NOT NULL AND spoken_languages IS NOT NULL
    AND try_cast(release_date AS DATE) IS NOT NULL AND try_cast(budget AS DOUBLE) IS NOT NULL
    AND try_cast(revenue AS DOUBLE) IS NOT NULL
""",
    [movies],
)
con.execute(
    "CREATE TABLE chosen AS SELECT id, min(title) AS title FROM movies "
    "WHERE list_contains(countries, 'Argentina') AND year >= 2000 GROUP BY id"
)
q1 = con.execute(
    "SELECT title, genres, year, id FROM movies WHERE list_has_all(countries, ['Argentina', 'Spain']) "
    "AND year BETWEEN 2000 AND 2009 ORDER BY year, title, id"
).fetchall()
q2 = con.execute(
    "SELECT countries[1] AS c, sum(budget)::BIGINT AS b, count(*) FROM movies WHERE len(countries) = 1 "
    "GROUP BY c ORDER BY b DESC, c LIMIT 5"
).fetchall()
rated = con.execute(
    """
SELECT c.title, c.id, sum(r.rating) / count(*) AS mean, min(r.rating), max(r.rating), count(*)
FROM read_csv(?, ignore_errors = true, header = true, delim = ',', quote = '', escape = '',
    columns = {'userId': 'BIGINT', 'movieId': 'BIGINT', 'rating': 'DOUBLE', 'timestamp': 'BIGINT'}) AS r
JOIN read_csv(?) AS l ON l.movieId = r.movieId
JOIN chosen AS c ON c.id = l.tmdbId
WHERE r.rating IS NOT NULL
GROUP BY c.title, c.id
""",
    [ratings, links],
).fetchall()
top = min(rated, key=lambda row: (-row[2], row[1]))
bottom = min(rated, key=lambda row: (row[2], row[1]))
q4 = con.execute(
    r"""
SELECT actor, count(DISTINCT id) AS n FROM (
    SELECT m.id, unnest(regexp_extract_all(m."cast", '''name'': [''"](.*?)[''"], ''order''', 1)) AS actor
    FROM read_csv(?, ignore_errors = true, header = true, quote = '"', escape = '"', delim = ',',
        max_line_size = 10000000,
        columns = {'cast': 'VARCHAR', 'crew': 'VARCHAR', 'id': 'BIGINT'}) AS m
    JOIN chosen ON chosen.id = m.id WHERE m."cast" LIKE '%]'
) GROUP BY actor ORDER BY n DESC, actor LIMIT 10
""",
    [credits_file],
).fetchall()
judge = SentimentIntensityAnalyzer()
found: dict[str, list[tuple[float, float]]] = {"NEGATIVE": [], "POSITIVE": []}
for overview, budget, revenue in con.execute(
    "SELECT overview, budget, revenue FROM movies WHERE budget <> 0 AND revenue <> 0"
).fetchall():
    label = "POSITIVE" if judge.polarity_scores(overview)["compound"] >= 0 else "NEGATIVE"
    found[label].append((budget, revenue))
q5 = []
for label, pairs in found.items():
    ratios = [round(revenue / budget * 1_000_000) for budget, revenue in pairs]
    total = sum(revenue for _, revenue in pairs) / sum(budget for budget, _ in pairs)
    middle = statistics.median(ratio / 1_000_000 for ratio in ratios)
    q5.append((label, len(ratios), sum(ratios) / (len(ratios) * 1_000_000), middle, total, "vaderSentiment"))
told = {
    "q1_produced_together": q1,
    "q2_budgets": q2,
    "q3_best_and_worst_rated": [("best", *top, "links.csv"), ("worst", *bottom, "links.csv")],
    "q4_actors": q4,
    "q5_sentiment": q5,
}
sys.stdout.write(json.dumps(told))
