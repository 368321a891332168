"""Finding in a large archive: how long a lookup of a URL and a search for words take.

A million captures of a hundred thousand URLs and a hundred thousand texts, of words as frequent as in real languages
(Zipf). Looked up as the API does it, by somebody who sees three of the four collections.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from itertools import accumulate

from bench.database import fresh_database
from bench.measured import Measured, say

WORDS = 50_000
WORDS_A_TEXT = 300
LOOKUPS = 300

# A third each in Spanish, English and neither.
INDEX_TEXTS = """
UPDATE archive_text
   SET dictionary = d.name,
       words = setweight(to_tsvector(d.name::regconfig, title), 'A')
               || setweight(to_tsvector(d.name::regconfig, text), 'B')
  FROM (VALUES (0, 'spanish'), (1, 'english'), (2, 'simple')) d (rest, name)
 WHERE d.rest = id % 3
"""
# Each page again and again, a quarter of them in each collection.
ADD_CAPTURES = """
INSERT INTO archive_capture
       (url, url_digest, urlkey, fetched_at, status, mime, digest, address, truncated, file_id, "offset", length,
        response_length, collection_id)
SELECT p.url, md5(p.url)::uuid, p.urlkey, timestamptz '2026-01-01' + n * interval '30 s', 200, 'text/html',
       'sha256:' || p.number, '', '', (SELECT id FROM archive_warcfile), n, 100, 100, c.id
  FROM generate_series(1, %s) n
  JOIN page p ON p.number = (n * 7919::bigint) %% %s
  JOIN (SELECT id, row_number() OVER (ORDER BY id) AS rank FROM archive_collection) c ON c.rank = 1 + p.number %% 4
"""


def measure(*, is_quick: bool) -> list[Measured]:
    captures, texts = (100_000, 10_000) if is_quick else (1_000_000, 100_000)
    chance = random.Random(11)
    vocabulary = Vocabulary(chance)
    with fresh_database():
        say(f"filling {captures:,} captures and {texts:,} texts")
        _fill(captures, texts, vocabulary, chance)
        reader = _reader()
        lookup = _p95_ms(lambda: _look_up(reader, chance, texts))
        prefix = _p95_ms(lambda: _look_up(reader, chance, texts, is_prefix=True))
        words = _p95_ms(lambda: _search(reader, vocabulary.query(chance)))
        filtered = _p95_ms(lambda: _search(reader, vocabulary.query(chance), collection="scientific"))
    return [
        Measured("url_lookup_p95_ms", lookup, 20, is_at_most=True),
        Measured("url_prefix_lookup_p95_ms", prefix, 20, is_at_most=True),
        Measured("full_text_search_p95_ms", words, 300, is_at_most=True),
        Measured("full_text_search_in_a_collection_p95_ms", filtered, 300, is_at_most=True),
    ]


class Vocabulary:
    """Made-up words; the n-th is 1/n as frequent as the first."""

    def __init__(self, chance: random.Random) -> None:
        syllables = [c + v for c in "bcdfglmnprstv" for v in "aeiou"]
        self.words = list(
            {"".join(chance.choices(syllables, k=chance.randint(2, 4))): None for _ in range(WORDS * 2)}
        )[:WORDS]
        self.weights = list(accumulate(1 / (rank + 3) for rank in range(len(self.words))))

    def text(self, chance: random.Random, words: int = WORDS_A_TEXT) -> str:
        return " ".join(chance.choices(self.words, cum_weights=self.weights, k=words))

    def query(self, chance: random.Random) -> str:
        """One to three words, as people search: as often the frequent as texts have them."""
        return self.text(chance, chance.randint(1, 3))


def _fill(captures: int, texts: int, vocabulary: Vocabulary, chance: random.Random) -> None:
    from django.db import connection

    from ronda.archive.urlkeys import urlkey_of

    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO archive_warcfile (name, machine, size_bytes, created_at) VALUES ('a', 'a', 0, now())"
        )
        with cursor.copy(
            "COPY archive_text (digest, title, text, language, dictionary, words) FROM STDIN"
        ) as copy:
            for number in range(texts):
                copy.write_row(
                    (
                        f"sha256:{number}",
                        vocabulary.text(chance, 6),
                        vocabulary.text(chance),
                        "",
                        "simple",
                        "",
                    )
                )
        say("indexing the texts")
        cursor.execute(INDEX_TEXTS)
        say("indexing the captures")
        cursor.execute("CREATE TEMP TABLE page (number int, url text, urlkey text)")
        with cursor.copy("COPY page FROM STDIN") as copy:
            for number in range(texts):
                copy.write_row((number, _url(number), urlkey_of(_url(number))))
        cursor.execute(ADD_CAPTURES, [captures, texts])
        for table in ("archive_capture", "archive_text"):
            cursor.execute(f"VACUUM ANALYZE {table}")


def _url(number: int) -> str:
    return f"http://www.site{number % 500}.example/section{number % 20}/page-{number}.html"


def _reader() -> object:
    from tests.people import person_with

    from ronda.accounts.roles import Role
    from ronda.archive.models import Collection

    Collection.objects.filter(slug="cultural").update(is_public=False)
    return person_with(Role.READER)


def _look_up(reader: object, chance: random.Random, texts: int, *, is_prefix: bool = False) -> None:
    from ronda.archive.cdx import CdxQuery, lines
    from ronda.archive.queries import captures_in

    url = _url(chance.randrange(texts))
    wanted = url.rpartition("-")[0] + "-1*" if is_prefix else url
    query = CdxQuery(wanted, closest="" if is_prefix else "20260301", limit=100)
    for _piece in lines(captures_in(reader, ""), query):  # type: ignore[arg-type]
        pass


def _search(reader: object, words: str, collection: str = "") -> None:
    from ronda.archive.search import SearchWanted, search

    search(actor=reader, wanted=SearchWanted(words=words, collection=collection))  # type: ignore[arg-type]


def _p95_ms(ask: Callable[[], None]) -> float:
    for _ in range(20):  # what was just written is not in anybody's memory yet
        ask()
    times = []
    for _ in range(LOOKUPS):
        began = time.perf_counter()
        ask()
        times.append(time.perf_counter() - began)
    return sorted(times)[int(len(times) * 0.95)] * 1000


if __name__ == "__main__":
    import sys

    from bench.measured import tell

    tell(measure(is_quick="--quick" in sys.argv))
