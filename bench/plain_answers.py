"""The answers once more, in plain Python that shares nothing with the engines: what tests compare with."""

from __future__ import annotations

import ast
import csv
import re
import statistics
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

from bench.movies_data import MoviesData
from bench.reddit_data import RedditData

KEYWORDS = ("university", "college", "student", "teacher", "professor")
IMAGE = re.compile(
    r"\.(jpe?g|png|gif|gifv|webp)([?#]|$)|^https?://(i\.redd\.it|i\.imgur\.com|i\.reddituploads\.com)/", re.I
)
NEEDED = (
    "id",
    "title",
    "genres",
    "release_date",
    "overview",
    "production_countries",
    "spoken_languages",
    "budget",
    "revenue",
)


def rows_of(path: Path) -> Iterator[dict[str, str]]:
    """Rows with as many fields as the header has."""
    usual = csv.field_size_limit(sys.maxsize)
    try:
        with path.open(newline="", encoding="utf-8") as file:
            reader = csv.reader(file)
            header = next(reader)
            for row in reader:
                if len(row) == len(header):
                    yield dict(zip(header, row, strict=True))
    finally:
        csv.field_size_limit(usual)  # whoever else reads CSV in this process has limits of their own


def movies(path: Path) -> list[dict[str, Any]]:
    found = []
    for row in rows_of(path):
        try:
            one = {
                "id": int(row["id"]),
                "title": row["title"],
                "overview": row["overview"],
                "genres": [genre["name"] for genre in ast.literal_eval(row["genres"])],
                "countries": [country["name"] for country in ast.literal_eval(row["production_countries"])],
                "year": date.fromisoformat(row["release_date"]).year,
                "budget": float(row["budget"]),
                "revenue": float(row["revenue"]),
            }
        except (ValueError, SyntaxError):
            continue
        if all(row[name] for name in NEEDED):
            found.append(one)
    return found


def produced_together(all_movies: Sequence[dict[str, Any]]) -> list[tuple[Any, ...]]:
    chosen = [
        (m["title"], m["genres"], m["year"], m["id"])
        for m in all_movies
        if {"Argentina", "Spain"} <= set(m["countries"]) and 2000 <= m["year"] <= 2009
    ]
    return sorted(chosen, key=lambda row: (row[2], row[0], row[3]))


def by_genre(all_movies: Sequence[dict[str, Any]]) -> list[tuple[Any, ...]]:
    titles: dict[str, list[str]] = defaultdict(list)
    for title, genres, _, _ in produced_together(all_movies):
        for genre in genres:
            titles[genre].append(title)
    return sorted(((g, len(t), sorted(t)) for g, t in titles.items()), key=lambda row: (-row[1], row[0]))


def budgets(all_movies: Sequence[dict[str, Any]]) -> list[tuple[Any, ...]]:
    total: dict[str, int] = defaultdict(int)
    count: Counter[str] = Counter()
    for movie in all_movies:
        if len(movie["countries"]) == 1:
            total[movie["countries"][0]] += round(movie["budget"])
            count[movie["countries"][0]] += 1
    return sorted(((c, b, count[c]) for c, b in total.items()), key=lambda row: (-row[1], row[0]))[:5]


def argentine(all_movies: Sequence[dict[str, Any]]) -> dict[int, str]:
    chosen: dict[int, str] = {}
    for movie in all_movies:
        if "Argentina" in movie["countries"] and movie["year"] >= 2000:
            chosen[movie["id"]] = min(movie["title"], chosen.get(movie["id"], movie["title"]))
    return chosen


def best_and_worst(
    all_movies: Sequence[dict[str, Any]], data: MoviesData, *, links: bool
) -> list[tuple[Any, ...]]:
    chosen = argentine(all_movies)
    keys: dict[int, list[int]] = defaultdict(list)
    if links:
        for row in rows_of(data.links):
            if row["tmdbId"] and int(row["tmdbId"]) in chosen:
                keys[int(row["movieId"])].append(int(row["tmdbId"]))
    else:
        keys.update({movie: [movie] for movie in chosen})
    ratings: dict[int, list[Fraction]] = defaultdict(list)
    for row in rows_of(data.ratings):
        if row["movieId"].isdigit() and row["rating"] and int(row["movieId"]) in keys:
            for movie in keys[int(row["movieId"])]:
                ratings[movie].append(Fraction(row["rating"]))
    rated = [(sum(given) / len(given), movie, given) for movie, given in ratings.items()]
    if not rated:
        return []
    joined = "links.csv" if links else "id taken for movieId"
    found = (
        ("best", min(rated, key=lambda r: (-r[0], r[1]))),
        ("worst", min(rated, key=lambda r: (r[0], r[1]))),
    )
    return [
        (place, chosen[movie], movie, float(mean), float(min(given)), float(max(given)), len(given), joined)
        for place, (mean, movie, given) in found
    ]


def actors(all_movies: Sequence[dict[str, Any]], data: MoviesData) -> list[tuple[Any, ...]]:
    chosen = argentine(all_movies)
    played: dict[str, set[int]] = defaultdict(set)
    for row in rows_of(data.credits):
        if int(row["id"]) not in chosen or not row["cast"]:
            continue
        try:
            cast = ast.literal_eval(row["cast"])
        except SyntaxError:
            continue
        for one in cast:
            played[one["name"]].add(int(row["id"]))
    return sorted(((name, len(where)) for name, where in played.items()), key=lambda row: (-row[1], row[0]))[
        :10
    ]


def sentiments(all_movies: Sequence[dict[str, Any]]) -> list[tuple[Any, ...]]:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    judge = SentimentIntensityAnalyzer()
    found: dict[str, list[dict[str, Any]]] = {"NEGATIVE": [], "POSITIVE": []}
    for movie in all_movies:
        if movie["budget"] and movie["revenue"]:
            score = judge.polarity_scores(movie["overview"])["compound"]
            found["POSITIVE" if score >= 0 else "NEGATIVE"].append(movie)
    return [(label, *_ratios(chosen), "vaderSentiment") for label, chosen in found.items()]


def _ratios(chosen: list[dict[str, Any]]) -> tuple[Any, ...]:
    ratios = [
        Fraction(round(Fraction(movie["revenue"] / movie["budget"]) * 10**6), 10**6) for movie in chosen
    ]
    if not ratios:
        return 0, None, None, None
    total = sum(m["revenue"] for m in chosen) / sum(m["budget"] for m in chosen)
    return len(ratios), float(sum(ratios) / len(ratios)), statistics.median(map(float, ratios)), total


def all_movies_answers(data: MoviesData, *, links: bool = True) -> dict[str, list[tuple[Any, ...]]]:
    known = movies(data.movies)
    return {
        "q1_produced_together": produced_together(known),
        "q1_produced_together_by_genre": by_genre(known),
        "q2_budgets": budgets(known),
        "q3_best_and_worst_rated": best_and_worst(known, data, links=links),
        "q4_actors": actors(known, data),
        "q5_sentiment": sentiments(known),
    }


def all_reddit_answers(
    data: RedditData, *, as_the_documents: bool = False
) -> dict[str, list[tuple[Any, ...]]]:
    posts = {}
    scores = []
    for row in rows_of(data.posts):
        if re.fullmatch(r"-?\d+", row["score"]):
            scores.append(int(row["score"]))
            posts[row["id"]] = row
    mean = sum(scores) / len(scores)
    matching: Counter[str] = Counter()
    sounds: dict[str, list[Fraction]] = defaultdict(list)
    for row in rows_of(data.comments):
        _hear(row, matching, sounds, as_the_documents)
    liked = [
        (one, int(posts[one]["score"]), posts[one]["url"] or None, posts[one]["title"], matching[one])
        for one in matching
        if one in posts and int(posts[one]["score"]) > mean
    ]
    happy = [
        (
            one,
            float(sum(heard) / len(heard)),
            len(heard),
            posts[one]["url"],
            int(posts[one]["score"]),
            posts[one]["title"],
        )
        for one, heard in sounds.items()
        if one in posts and posts[one]["url"] and (as_the_documents or IMAGE.search(posts[one]["url"]))
    ]
    return {
        "mean_score": [(mean, len(scores))],
        "student_favourites": sorted(liked, key=lambda row: (-row[1], row[0])),
        "happiest_meme": sorted(happy, key=lambda row: (-row[1], row[0]))[:10],
    }


def _hear(
    row: dict[str, str], matching: Counter[str], sounds: dict[str, list[Fraction]], as_the_documents: bool
) -> None:
    found = re.search(r"comments/([^/]+)/", row["permalink"])
    is_number = re.fullmatch(r"-?\d+(\.\d+)?", row["sentiment"])
    if not found or not row["body"] or (row["sentiment"] and not is_number):
        return
    if row["body"] in ("[deleted]", "[removed]") and not as_the_documents:
        return
    is_about = any(word in row["body"].lower() for word in KEYWORDS)
    if is_about and (is_number or not as_the_documents):
        matching[found[1]] += 1
    if is_number:
        sounds[found[1]].append(Fraction(row["sentiment"]))
