"""The Movies Dataset, made up: the same headers, quoting, Python literals and broken rows, at any size, by seed."""

from __future__ import annotations

import csv
import random
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa

# fmt: off
MOVIES_HEADER = [
    "adult", "belongs_to_collection", "budget", "genres", "homepage", "id", "imdb_id",
    "original_language", "original_title", "overview", "popularity", "poster_path",
    "production_companies", "production_countries", "release_date", "revenue", "runtime",
    "spoken_languages", "status", "tagline", "title", "video", "vote_average", "vote_count",
]
# fmt: on
FULL_MOVIES, FULL_RATINGS = 45_000, 26_000_000
RATINGS_A_CHUNK = 2_000_000

COUNTRIES = (
    ("US", "United States of America", 420),
    ("FR", "France", 90),
    ("GB", "United Kingdom", 90),
    ("AR", "Argentina", 40),
    ("ES", "Spain", 40),
    ("IN", "India", 60),
    ("JP", "Japan", 60),
    ("DE", "Germany", 50),
    ("KR", "Korea, Republic of", 20),
    ("CI", "Cote D'Ivoire", 2),
)
# fmt: off
GENRES = [
    "Drama", "Comedy", "Thriller", "Romance", "Action", "Horror", "Crime", "Documentary", "Adventure",
    "Mystery", "Fantasy", "Western", "Science Fiction", "TV Movie",
]
GOOD = [
    "love", "wonderful", "hope", "win", "brave", "friend", "beautiful", "happy", "delight", "success",
    "charming", "sweet", "hero",
]
BAD = [
    "murder", "death", "war", "hate", "lost", "kill", "terrible", "cruel", "revenge", "fear", "broken",
    "prison", "betrayal", "crisis",
]
PLAIN = [
    "a", "the", "young", "man", "woman", "city", "his", "her", "family", "finds", "must", "night",
    "story", "of", "in", "to", "when", "who", "becomes", "through", "years", "between", "detective",
    "village", "journey", "secret", "house", "father", "mother", "summer", "town", "train", "letter",
    "mountain", "school", "river", "doctor",
]
FIRST = [
    "Ricardo", "Inés", "Leonardo", "Valeria", "Alejandro", "María", "José", "Ana", "Tom", "Emma", "Luc",
    "Aiko", "Seán", "Zoë", "Åsa", "Núria",
]
LAST = [
    "Darín", "Sbaraglia", "Awada", "O'Brien", "D'Angelo", "de", "la", "Serna", "García", "Smith",
    "Tanaka", "Müller", "Bertuccelli", "Nuñez", "Peretti",
]
# fmt: on


@dataclass(frozen=True)
class MoviesData:
    """Where the files are."""

    movies: Path
    ratings: Path
    credits: Path
    links: Path


def make(folder: Path, *, movies: int, ratings: int, seed: int = 1, people: int = 6_000) -> MoviesData:
    """The four files, always the same for the same numbers."""
    data = MoviesData(
        *(folder / f"{name}.csv" for name in ("movies_metadata", "ratings", "credits", "links"))
    )
    chance = random.Random(seed)
    ids = chance.sample(range(2, 12 * movies + 100), movies)
    _write_movies(data.movies, ids, chance)
    _write_credits(data.credits, ids, chance, _names(people, chance))
    movie_ids = _write_links(data.links, ids, chance)
    write_ratings(data.ratings, movie_ids, ratings, seed)
    return data


def _names(count: int, chance: random.Random) -> list[str]:
    made = [f"{first} {last}" for first in FIRST for last in LAST]
    return [
        chance.choice(made) if chance.random() < 0.02 else f"{chance.choice(made)} {number}"
        for number in range(count)
    ]


def _write_movies(path: Path, ids: list[int], chance: random.Random) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(MOVIES_HEADER)
        for number, movie in enumerate(ids):
            writer.writerow(_movie(movie, chance))
            if chance.random() < 0.0007:
                # As in the real file: a line end inside a row, so that the rest of it stands alone, shifted.
                file.write(
                    f"{_overview(chance, 6)},0.065736,/ff9qCepilowshEtG2GYWwzt2bs4.jpg,\"[{{'name': 'X'}}]\"\n"
                )
            if chance.random() < 0.0003 or number == 3:
                row = _movie(movie, chance)
                row[5] = chance.choice(["1997-08-20", "2012-09-29", "not-a-number"])
                writer.writerow(row)


def _movie(movie: int, chance: random.Random) -> list[object]:
    has_money = chance.random() < 0.14
    budget = chance.choice([chance.randrange(1, 9), chance.randrange(10**4, 3 * 10**8)]) if has_money else 0
    revenue = chance.randrange(1, 9 * 10**8) if has_money and chance.random() < 0.9 else 0
    weights = [weight for *_, weight in COUNTRIES]
    countries = chance.choices(COUNTRIES, weights, k=chance.choice([0, 1, 1, 1, 1, 1, 2, 2, 3]))
    if chance.random() < 0.02:
        countries = [COUNTRIES[4], COUNTRIES[3]]
    title = _title(chance)
    day = date(1950, 1, 1) + timedelta(days=chance.randrange(25_000))
    genres = chance.sample(GENRES, chance.choice([0, 1, 2, 3]))
    return [
        "False",
        ""
        if chance.random() < 0.9
        else str({"id": movie + 1, "name": f"{title} Collection", "poster_path": None}),
        budget,
        str([{"id": GENRES.index(genre) + 10, "name": genre} for genre in genres]),
        "",
        movie,
        f"tt{movie:07d}",
        "en",
        title,
        "" if chance.random() < 0.02 else _overview(chance, chance.randrange(15, 90)),
        f"{chance.random() * 20:.6f}",
        "/rhIRbceoE9lR4veEXuwCC2wARtG.jpg",
        str([{"name": "Pixar Animation Studios", "id": 3}]),
        str([{"iso_3166_1": code, "name": name} for code, name, _ in dict.fromkeys(countries)]),
        "" if chance.random() < 0.002 else day.isoformat(),
        revenue,
        f"{chance.randrange(60, 200)}.0",
        str([{"iso_639_1": "en", "name": "English"}]),
        "Released",
        "" if chance.random() < 0.5 else f'"{title}", they said.\nTwice.',
        "" if chance.random() < 0.001 else title,
        "False",
        f"{chance.random() * 10:.1f}",
        chance.randrange(5000),
    ]


def _title(chance: random.Random) -> str:
    words = [chance.choice(PLAIN).capitalize() for _ in range(chance.randrange(1, 5))]
    return " ".join(words) + chance.choice(["", "", "", "!", ", Part 2", ': The "Return"', "'s End"])


def _overview(chance: random.Random, words: int) -> str:
    tone = chance.choice([GOOD, BAD, GOOD + BAD])
    text = " ".join(
        chance.choice(tone) if chance.random() < 0.08 else chance.choice(PLAIN) for _ in range(words)
    )
    return text.replace(" who ", ', "who", ', 1).replace(" night ", "\nnight ", 1) + "."


def _write_credits(path: Path, ids: list[int], chance: random.Random, names: list[str]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["cast", "crew", "id"])
        for movie in ids:
            cast = [_cast(place, names, chance) for place in range(chance.randrange(0, 26))]
            crew = [_crew(names, chance) for _ in range(chance.randrange(0, 24))]
            text = "" if chance.random() < 0.001 else str(cast)
            writer.writerow([text[:-5] if chance.random() < 0.001 else text, str(crew), movie])
            if chance.random() < 0.0005:
                writer.writerow([str(cast), movie])


def _cast(place: int, names: list[str], chance: random.Random) -> dict[str, object]:
    person = int(len(names) * chance.random() ** 3)
    return {
        "cast_id": place,
        "character": chance.choice(["Woody (voice)", "Dr. O'Neil", 'Tony "Two Toes"', "Self", "L'Étranger"]),
        "credit_id": f"52fe4284c3a36847f80{person:05x}",
        "gender": chance.randrange(3),
        "id": person,
        "name": names[person],
        "order": place,
        "profile_path": None if chance.random() < 0.4 else "/pQFoyx7rp09CJTAb932F2g8Nlho.jpg",
    }


def _crew(names: list[str], chance: random.Random) -> dict[str, object]:
    person = chance.randrange(len(names))
    return {
        "credit_id": f"52fe4284c3a36847f80{person:05x}",
        "department": "Directing",
        "gender": 2,
        "id": person,
        "job": chance.choice(["Director", "Writer", "Producer"]),
        "name": names[person],
        "profile_path": None if chance.random() < 0.5 else "/7EdqiNbr4FRjIhKHyPPdFfEEEFG.jpg",
    }


def _write_links(path: Path, ids: list[int], chance: random.Random) -> list[int]:
    movie_ids = sorted(chance.sample(range(1, 4 * len(ids) + 10), len(ids)))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["movieId", "imdbId", "tmdbId"])
        for movie_id, movie in zip(movie_ids, ids, strict=True):
            writer.writerow([movie_id, f"{movie:07d}", "" if chance.random() < 0.005 else movie])
    return movie_ids


def write_ratings(path: Path, movie_ids: list[int], count: int, seed: int) -> None:
    """Few movies have most of the ratings; a few rows are broken."""
    chance = np.random.default_rng(seed)
    # Movies' own ids stand among the rated ones too, so that the documents' key finds something.
    known = np.array(movie_ids)
    with path.open("wb") as file, duckdb.connect() as connection:
        file.write(b"userId,movieId,rating,timestamp\n")
        for start in range(0, count, RATINGS_A_CHUNK):
            size = min(RATINGS_A_CHUNK, count - start)
            table = pa.table(
                {
                    "userId": (np.arange(start, start + size) // 96 + 1),
                    "movieId": known[(len(known) * chance.random(size) ** 2.5).astype(np.int64)],
                    "rating": chance.integers(1, 11, size) / 2,
                    "timestamp": chance.integers(789_652_009, 1_501_829_870, size),
                }
            )
            part = path.with_suffix(".part")
            connection.register("chunk", table)
            connection.execute(f"COPY (FROM chunk) TO '{part}' (FORMAT csv, HEADER false)")
            connection.unregister("chunk")
            with part.open("rb") as chunk:
                while data := chunk.read(1 << 24):
                    file.write(data)
            part.unlink()
            file.write(b"7,12,,1260759144\n7,twelve,3.0,1260759144\n7,12\n")
