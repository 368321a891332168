"""The answers as straightforward pandas: python -m … movies MOVIES RATINGS CREDITS LINKS, or reddit POSTS COMMENTS."""

from __future__ import annotations

import ast
import json
import sys
from typing import Any

import pandas as pd


def names(text: str) -> list[str] | None:
    try:
        return [one["name"] for one in ast.literal_eval(text)]
    except (ValueError, SyntaxError, TypeError):
        return None


def ask_movies(movies_file: str, ratings_file: str, credits_file: str, links_file: str) -> dict[str, Any]:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    needed = ["id", "title", "genres", "release_date", "overview", "production_countries", "spoken_languages"]
    movies = pd.read_csv(movies_file, dtype=str, on_bad_lines="skip")
    for column in ("id", "budget", "revenue"):
        movies[column] = pd.to_numeric(movies[column], errors="coerce")
    movies = movies.dropna(subset=[*needed, "budget", "revenue", "vote_count"])
    movies["year"] = pd.to_datetime(movies["release_date"], errors="coerce").dt.year
    movies["genres"] = movies["genres"].apply(names)
    movies["countries"] = movies["production_countries"].apply(names)
    movies["id"] = movies["id"].astype("int64")
    both = movies[movies["countries"].apply(lambda c: "Argentina" in c and "Spain" in c)]
    both = both[(both["year"] >= 2000) & (both["year"] <= 2009)].sort_values(["year", "title", "id"])
    alone = movies[movies["countries"].apply(len) == 1].copy()
    alone["country"] = alone["countries"].str[0]
    sums = alone.groupby("country")["budget"].agg(["sum", "count"]).reset_index()
    sums = sums.sort_values(["sum", "country"], ascending=[False, True]).head(5)
    chosen = movies[movies["countries"].apply(lambda c: "Argentina" in c) & (movies["year"] >= 2000)]
    chosen = chosen.groupby("id")["title"].min().reset_index()

    ratings = pd.read_csv(ratings_file, on_bad_lines="skip", low_memory=False)
    ratings["movieId"] = pd.to_numeric(ratings["movieId"], errors="coerce")
    ratings = ratings.dropna(subset=["movieId", "rating", "timestamp"])
    links = pd.read_csv(links_file).dropna(subset=["tmdbId"])
    rated = ratings.merge(links, on="movieId").merge(chosen, left_on="tmdbId", right_on="id")
    means = rated.groupby(["id", "title"])["rating"].agg(["mean", "min", "max", "count"]).reset_index()
    top = means.sort_values(["mean", "id"], ascending=[False, True]).iloc[0]
    bottom = means.sort_values(["mean", "id"]).iloc[0]

    credit = pd.read_csv(credits_file, on_bad_lines="skip", dtype=str)
    credit["id"] = pd.to_numeric(credit["id"], errors="coerce")
    credit["names"] = credit["cast"].apply(names)
    played = credit.merge(chosen, on="id")[["id", "names"]].explode("names").dropna().drop_duplicates()
    actors = played.groupby("names")["id"].count().reset_index()
    actors = actors.sort_values(["id", "names"], ascending=[False, True]).head(10)

    judge = SentimentIntensityAnalyzer()
    money = movies[(movies["budget"] != 0) & (movies["revenue"] != 0)].copy()
    scores = money["overview"].apply(lambda text: judge.polarity_scores(text)["compound"])
    money["label"] = scores.apply(lambda score: "POSITIVE" if score >= 0 else "NEGATIVE")
    money["ratio"] = money["revenue"] / money["budget"]
    money.groupby("label")["ratio"].agg(["mean", "median", "count"])
    return {
        "q1_produced_together": both[["title", "genres", "year", "id"]].to_numpy().tolist(),
        "q2_budgets": [[row["country"], int(row["sum"]), int(row["count"])] for _, row in sums.iterrows()],
        "q3_best_and_worst_rated": [
            [
                place,
                row["title"],
                int(row["id"]),
                row["mean"],
                row["min"],
                row["max"],
                int(row["count"]),
                "links.csv",
            ]
            for place, row in (("best", top), ("worst", bottom))
        ],
        "q4_actors": actors.to_numpy().tolist(),
    }


def ask_reddit(posts_file: str, comments_file: str) -> dict[str, Any]:
    posts = pd.read_csv(
        posts_file, dtype={"id": str, "url": str, "title": str, "score": str}, on_bad_lines="skip"
    )
    posts["score"] = pd.to_numeric(posts["score"], errors="coerce")
    posts = posts.dropna(subset=["score"])
    mean = posts["score"].mean()
    comments = pd.read_csv(
        comments_file, dtype={"body": str, "permalink": str, "sentiment": str}, on_bad_lines="skip"
    )
    comments["sentiment"] = pd.to_numeric(comments["sentiment"], errors="coerce")
    comments = comments[comments["body"].notna() & ~comments["body"].isin(["[deleted]", "[removed]"])]
    comments["post"] = comments["permalink"].str.extract(r"comments/([^/]+)/", expand=False)
    about = comments[
        comments["body"].str.contains("university|college|student|teacher|professor", case=False)
    ]
    counts = about.groupby("post").size().rename("comments")
    liked = posts[posts["score"] > mean].set_index("id").join(counts, how="inner").reset_index(names="id")
    liked = liked.sort_values(["score", "id"], ascending=[False, True])
    sounds = comments.dropna(subset=["sentiment"]).groupby("post")["sentiment"].agg(["mean", "count"])
    pattern = r"\.(?:jpe?g|png|gif|gifv|webp)(?:[?#]|$)|^https?://(?:i\.redd\.it|i\.imgur\.com|i\.reddituploads\.com)/"
    images = posts[posts["url"].fillna("").str.contains(pattern, case=False)].set_index("id")
    images.join(sounds, how="inner").reset_index(names="id").sort_values(
        ["mean", "id"], ascending=[False, True]
    ).head(10)
    return {
        "mean_score": [[mean, len(posts)]],
        "student_favourites": [
            [
                row.id,
                int(row.score),
                row.url if isinstance(row.url, str) else None,
                row.title,
                int(row.comments),
            ]
            for row in liked.itertuples()
        ],
    }


if __name__ == "__main__":
    ask = {"movies": ask_movies, "reddit": ask_reddit}[sys.argv[1]]
    sys.stdout.write(json.dumps(ask(*sys.argv[2:])))
