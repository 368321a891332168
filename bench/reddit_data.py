"""Posts and comments in the SocialGrep format, made up: quoted line ends, deleted posts, both subreddits, by seed."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

POSTS_HEADER = (
    "type,id,subreddit.id,subreddit.name,subreddit.nsfw,created_utc,permalink,domain,url,selftext,title,score"
)
COMMENTS_HEADER = (
    "type,id,subreddit.id,subreddit.name,subreddit.nsfw,created_utc,permalink,body,sentiment,score"
)
FULL_POSTS, FULL_COMMENTS = 3_362_747, 12_053_027
ROWS_A_CHUNK = 500_000
BODIES = 50_000
# fmt: off
WORDS = [
    "me", "too", "thanks", "can", "not", "believe", "this", "is", "so", "real", "every", "time", "my",
    "life", "same", "here", "honestly", "lol", "what", "a", "mood", "when", "you", "are", "tired",
    "and", "the", "day", "just", "started", "wait", "that", "hurts", "good", "meme", "sad", "but",
    "true", "upvote", "dog", "cat", "sleep", "coffee", "monday", "work",
]
# fmt: on
STUDENTS = ["university", "College", "students", "TEACHER", "professor's", "collegekid"]
SUBREDDITS = (("2s5ti", "me_irl"), ("2qh61", "meirl"))


@dataclass(frozen=True)
class RedditData:
    """Where the files are."""

    posts: Path
    comments: Path


def make(folder: Path, *, posts: int, comments: int, seed: int = 1) -> RedditData:
    data = RedditData(folder / "posts.csv", folder / "comments.csv")
    _write(
        data.posts,
        POSTS_HEADER,
        posts,
        lambda start, size: _posts(start, size, seed),
        b"post,zz1,2s5ti\npost,zz2,2s5ti,me_irl,false,1,p,d,u,s,t,many\n",
    )
    pool = _bodies(seed)
    _write(
        data.comments,
        COMMENTS_HEADER,
        comments,
        lambda start, size: _comments(start, size, seed, posts, pool),
        b"comment,zz3,2s5ti,me_irl\ncomment,zz4,2s5ti,me_irl,false,1,/r/me_irl/comments/1/x/,text,good,1\n",
    )
    return data


def post_id(number: int) -> str:
    """As Reddit's: base 36."""
    return np.base_repr(number + 46_656, 36).lower()


def _write(
    path: Path, header: str, count: int, make_chunk: Callable[[int, int], pa.Table], broken: bytes
) -> None:
    with path.open("wb") as file, duckdb.connect() as connection:
        file.write(header.encode() + b"\n")
        for start in range(0, count, ROWS_A_CHUNK):
            part = path.with_suffix(".part")
            connection.register("chunk", make_chunk(start, min(ROWS_A_CHUNK, count - start)))
            # DuckDB quotes what has to be quoted and nothing else, as the real files do.
            connection.execute(f"COPY (FROM chunk) TO '{part}' (FORMAT csv, HEADER false)")
            connection.unregister("chunk")
            with part.open("rb") as chunk:
                while data := chunk.read(1 << 24):
                    file.write(data)
            part.unlink()
            file.write(broken)


def _chosen(values: list[str] | pa.Array, indices: np.ndarray) -> pa.Array:
    return (
        pa.array(values, pa.string()).take(pa.array(indices))
        if isinstance(values, list)
        else values.take(pa.array(indices))
    )


def _ids(numbers: np.ndarray) -> pa.Array:
    """Base 36 of many numbers at once."""
    digits = np.frombuffer(b"0123456789abcdefghijklmnopqrstuvwxyz", np.uint8)
    rest, columns = numbers.astype(np.int64) + 36**5, []
    for _ in range(6):
        columns.append(digits[rest % 36])
        rest = rest // 36
    text = np.stack(columns[::-1], axis=1).tobytes()
    return pa.Array.from_buffers(
        pa.string(),
        len(numbers),
        [None, pa.py_buffer(np.arange(0, 6 * len(numbers) + 1, 6, dtype=np.int32)), pa.py_buffer(text)],
    )


def _posts(start: int, size: int, seed: int) -> pa.Table:
    chance = np.random.default_rng((seed, start, 1))
    ids = _ids(np.arange(start, start + size))
    place = chance.integers(0, 2, size)
    names = _chosen([name for _, name in SUBREDDITS], place)
    is_deleted = pa.array(chance.random(size) < 0.06)
    kind = chance.choice(4, size, p=[0.7, 0.15, 0.1, 0.05])
    stem = _chosen(
        ["https://i.redd.it/", "https://i.imgur.com/", "https://imgur.com/a/", "https://www.reddit.com/r/x/"],
        kind,
    )
    tail = _chosen([".jpg", ".png", "", "/"], kind)
    url = pc.if_else(is_deleted, "", pc.binary_join_element_wise(stem, ids, tail, ""))
    titles = _chosen(
        ["me irl", "meirl", "Me, irl", 'me "irl"', "me\nirl", "mé_irl 😀"], chance.integers(0, 6, size)
    )
    return pa.table(
        {
            "type": _chosen(["post"], np.zeros(size, np.int64)),
            "id": ids,
            "subreddit.id": _chosen([one for one, _ in SUBREDDITS], place),
            "subreddit.name": names,
            "subreddit.nsfw": _chosen(["false"], np.zeros(size, np.int64)),
            "created_utc": pa.array(1_500_000_000 + np.arange(start, start + size)),
            "permalink": pc.binary_join_element_wise(
                "https://old.reddit.com/r/", names, "/comments/", ids, "/", names, "/", ""
            ),
            "domain": _chosen(["i.redd.it"], np.zeros(size, np.int64)),
            "url": url,
            "selftext": pc.if_else(is_deleted, "[deleted]", ""),
            "title": titles,
            "score": pa.array((chance.pareto(1.1, size) * 30).clip(-5, 200_000).astype(np.int64)),
        }
    )


def _bodies(seed: int) -> tuple[pa.Array, pa.Array]:
    """Texts that are often the same, and how they sound."""
    chance = random.Random(seed)
    texts, sentiments = ["[deleted]", "[removed]", "", "ok"], ["", "0.0", "", ""]
    while len(texts) < BODIES:
        words = [chance.choice(WORDS) for _ in range(int(1 + chance.expovariate(1 / 15)))]
        if chance.random() < 0.004:
            words.insert(0, chance.choice(STUDENTS))
        text = " ".join(words)
        if chance.random() < 0.25:
            text = text.replace(" ", ", ", 1)
        if chance.random() < 0.1:
            text = text.replace(" ", "\n\n", 1)
        if chance.random() < 0.03:
            text = f'He said "{text}"'
        texts.append(text)
        sentiments.append("" if len(words) < 2 else f"{chance.uniform(-1, 1):.4f}")
    return pa.array(texts), pa.array(sentiments)


def _comments(start: int, size: int, seed: int, posts: int, pool: tuple[pa.Array, pa.Array]) -> pa.Table:
    chance = np.random.default_rng((seed, start, 2))
    post = (posts * chance.random(size) ** 1.7).astype(np.int64)
    # A few comments are of posts that are not in the file.
    post[chance.random(size) < 0.002] += posts
    which = np.where(
        chance.random(size) < 0.05, chance.integers(0, 4, size), chance.integers(4, BODIES, size)
    )
    names = _chosen([name for _, name in SUBREDDITS], post % 2)
    ids = _ids(np.arange(start, start + size) + 40_000_000)
    stem = _chosen(["https://old.reddit.com/r/", "/r/"], (chance.random(size) < 0.1).astype(np.int64))
    permalink = pc.binary_join_element_wise(
        stem, names, "/comments/", _ids(post), "/", names, "/", ids, "/?context=3", ""
    )
    return pa.table(
        {
            "type": _chosen(["comment"], np.zeros(size, np.int64)),
            "id": ids,
            "subreddit.id": _chosen([one for one, _ in SUBREDDITS], post % 2),
            "subreddit.name": names,
            "subreddit.nsfw": _chosen(["false"], np.zeros(size, np.int64)),
            "created_utc": pa.array(1_500_000_000 + np.arange(start, start + size)),
            "permalink": permalink,
            "body": pool[0].take(pa.array(which)),
            "sentiment": pool[1].take(pa.array(which)),
            "score": pa.array(chance.integers(-3, 200, size)),
        }
    )
