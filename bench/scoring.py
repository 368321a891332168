"""Scoring the change of a page: two states of 100 KB each, read, cleared of noise and weighed.

    python -m bench.scoring [--quick]

article  prose in sections, links here and there
front    a front page: 450 short entries with headings, links and classes, most of it tags
table    a table of figures, hardly anything but tags
Of each: a sentence changed, a tenth rewritten, all of it rewritten. With twenty rules of noise in force. Milliseconds
of one core's time, the median; nothing is left from an earlier round.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from statistics import median

from bench.measured import Measured, say, tell
from ronda.change import markup
from ronda.change.documents import Page
from ronda.change.rules import Ignoring, Rule, RuleKind
from ronda.change.scoring import score

SIZE_BYTES = 100_000
TARGET_MS = 30
SHARES = {"a_sentence": 0.0, "a_tenth": 0.1, "all": 1.0}
RULES = tuple(Rule(RuleKind.SELECTOR, f"div > ul.list{n} li.item{n} > a") for n in range(20))
WORDS = [
    f"{a}{b}"
    for a in ("bar", "con", "del", "fer", "gal", "hor", "mun")
    for b in ("a", "os", "ido", "erial", "umbre")
]


def measure(*, is_quick: bool) -> list[Measured]:
    rounds = 5 if is_quick else 31
    results = []
    for name, made in (("article", _article), ("front", _front), ("table", _table)):
        for what, share in SHARES.items():
            before, after = _states(made, share)
            spent = median(_ms(before, after) for _ in range(rounds))
            say(f"{name}, {what}: {spent:.1f} ms, {len(before)} and {len(after)} bytes")
            results.append(Measured(f"{name}_{what}_ms", spent, TARGET_MS, is_at_most=True))
    return results


def _ms(before: bytes, after: bytes) -> float:
    markup._start.cache_clear()
    started = time.process_time()
    score(Page(before), Page(after), Ignoring(RULES))
    return (time.process_time() - started) * 1000


def _states(made: Callable[[random.Random], str], share: float) -> tuple[bytes, bytes]:
    """Pieces until the page is large enough; of the other state, a share of them is another one."""
    chance = random.Random(5)
    pieces: list[str] = []
    while sum(len(piece) for piece in pieces) < SIZE_BYTES:
        pieces.append(made(chance))
    others = [made(chance) if chance.random() < share else piece for piece in pieces]
    if not share:
        others[len(others) // 2] = made(chance)
    return _page(pieces), _page(others)


def _page(pieces: list[str]) -> bytes:
    body = "\n".join(pieces)
    head = '<title>T</title><link rel="stylesheet" href="/s.css">'
    return f"<html><head>{head}</head><body>{body}</body></html>".encode()


def _sentence(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(WORDS, k=words)).capitalize() + "."


def _article(chance: random.Random) -> str:
    text = " ".join(_sentence(chance, 14) for _ in range(4))
    link = f'<a href="/{chance.choice(WORDS)}/{chance.randrange(999)}">{_sentence(chance, 3)}</a>'
    return f'<section><h2>{_sentence(chance, 5)}</h2><p class="text">{text} {link}</p><p>{text[::-1]}</p></section>'


def _front(chance: random.Random) -> str:
    number = chance.randrange(9999)
    return (
        f'<div class="item n{number % 7}" id="i{number}"><h3><a href="/a/{number}?x=1">{_sentence(chance, 4)}</a></h3>'
        f'<p class="text">{_sentence(chance, 14)}</p></div>'
    )


def _table(chance: random.Random) -> str:
    return "<tr>" + "".join(f"<td>{chance.randrange(10_000)}</td>" for _ in range(12)) + "</tr>"


if __name__ == "__main__":
    tell(measure(is_quick="--quick" in sys.argv))
