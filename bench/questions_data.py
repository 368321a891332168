"""Generated tables at a share of the real size: kept in BENCH_DATA, if that is set, or gone with the run."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from bench import movies_data, reddit_data
from bench.measured import say

Tables = Mapping[str, Path]


@contextmanager
def movies(*, share: int) -> Iterator[Tables]:
    """A `share`-th of the real numbers."""
    count, ratings = movies_data.FULL_MOVIES // share, movies_data.FULL_RATINGS // share

    def make(folder: Path) -> None:
        say(f"making {count:,} movies and {ratings:,} ratings")
        movies_data.make(folder, movies=count, ratings=ratings)

    names = {"movies": "movies_metadata", "ratings": "ratings", "credits": "credits", "links": "links"}
    with _folder(f"movies-{share}", make) as folder:
        yield {table: folder / f"{name}.csv" for table, name in names.items()}


@contextmanager
def reddit(*, share: int) -> Iterator[Tables]:
    posts, comments = reddit_data.FULL_POSTS // share, reddit_data.FULL_COMMENTS // share

    def make(folder: Path) -> None:
        say(f"making {posts:,} posts and {comments:,} comments")
        reddit_data.make(folder, posts=posts, comments=comments)

    with _folder(f"reddit-{share}", make) as folder:
        yield {table: folder / f"{table}.csv" for table in ("posts", "comments")}


@contextmanager
def _folder(name: str, make: Callable[[Path], None]) -> Iterator[Path]:
    if not (kept := os.environ.get("BENCH_DATA")):
        with tempfile.TemporaryDirectory(prefix="ronda-bench-") as passing:
            make(Path(passing))
            yield Path(passing)
        return
    folder = Path(kept) / name
    if not folder.is_dir():
        half = folder.with_name(f"{name}.half")
        half.mkdir(parents=True)
        make(half)
        half.rename(folder)
    yield folder
