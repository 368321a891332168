"""Pages nobody can know without having come: what stands on one follows from its path and our key, and is not stored.

They are made to look like pages of some small site: of several sizes and types, some moved, some missing.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import random
import re
from dataclasses import dataclass

_SECTIONS = ("articles", "notes", "archive", "posts", "guides", "reports", "letters", "items")
_WORDS = tuple(
    """
    anchor barley bridge canvas chapel copper dialect ember ferry garden glacier granite hamlet harbour harvest inland
    island journal lantern ledger letter market meadow mirror morning northern orchard painter paper quarry record
    river saddle signal station stone summer tailor timber valley village voyage weaver window winter
    """.split()  # noqa: SIM905  (a list of words reads better as text)
)
_PATH = re.compile(rf"/(?:{'|'.join(_SECTIONS)})/[a-z]+-[a-z]+-[0-9a-f]{{16}}")

MOST_BYTES = 256 * 1024
ROBOTS_PATH = "/robots.txt"


@dataclass(frozen=True)
class CanaryPage:
    status: int
    mime: str
    body: bytes
    location: str = ""
    is_compressible: bool = False


def new_path(chance: random.Random) -> str:
    """An address that was never asked for before."""
    nonce = f"{chance.getrandbits(64):016x}"
    return f"/{chance.choice(_SECTIONS)}/{chance.choice(_WORDS)}-{chance.choice(_WORDS)}-{nonce}"


def robots_in(key: bytes, hour: int) -> CanaryPage:
    """Other rules every hour: who told them right once has to come again."""
    made = _chance(key, f"{ROBOTS_PATH} {hour}")
    paths = [f"/drafts/{made.choice(_WORDS)}-{made.getrandbits(40)}/" for _ in range(made.randrange(1, 6))]
    return CanaryPage(
        200, "text/plain", "\n".join(["User-agent: *", *(f"Disallow: {p}" for p in paths), ""]).encode()
    )


def is_probe_path(path: str) -> bool:
    return _PATH.fullmatch(path) is not None


def page_at(key: bytes, path: str) -> CanaryPage:
    """What stands at a path; the same on every machine that has the key."""
    made = _chance(key, path)
    if not is_probe_path(path):
        return CanaryPage(404, "text/html", _html("Not found", [_sentence(made)], []))
    match made.randrange(10):
        case 0:
            return CanaryPage(404, "text/html", _html("Gone fishing", [_sentence(made)], []))
        case 1:
            return CanaryPage(301, "text/html", b"", location=settled_path(key, made))
        case 2:
            values = {made.choice(_WORDS): made.randrange(10**6) for _ in range(12)}
            return CanaryPage(200, "application/json", json.dumps(values).encode())
        case 3:
            lines = [_sentence(made) for _ in range(made.randrange(3, 40))]
            return CanaryPage(200, "text/plain", "\n".join(lines).encode())
    title = f"{made.choice(_WORDS)} {made.choice(_WORDS)}".title()
    paragraphs = [
        " ".join(_sentence(made) for _ in range(made.randrange(2, 7))) for _ in range(made.randrange(1, 60))
    ]
    links = [new_path(made) for _ in range(made.randrange(1, 6))]
    return CanaryPage(200, "text/html", _html(title, paragraphs, links), is_compressible=made.random() < 0.7)


def settled_path(key: bytes, chance: random.Random) -> str:
    """A path that is no redirect itself: what stands there tells the key, and no redirect leads further than a step."""
    while True:
        path = new_path(chance)
        if page_at(key, path).status != 301:
            return path


def _chance(key: bytes, path: str) -> random.Random:
    """Seeded by 256 bits that only the key's holder can make; Python's generator hides nothing else."""
    return random.Random(hmac.new(key, path.encode(), hashlib.sha256).digest())  # noqa: S311


def _sentence(made: random.Random) -> str:
    words = [made.choice(_WORDS) for _ in range(made.randrange(5, 16))]
    # A number nobody can guess: words alone could be tried through.
    return f"{' '.join(words).capitalize()} {made.getrandbits(40)}."


def _html(title: str, paragraphs: list[str], links: list[str]) -> bytes:
    text = "".join(f"<p>{paragraph}</p>\n" for paragraph in paragraphs)
    listed = "".join(f'<li><a href="{link}">{link[1:].partition("/")[2]}</a></li>\n' for link in links)
    return (
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{title}</title></head>\n'
        f"<body>\n<h1>{title}</h1>\n{text}<ul>\n{listed}</ul>\n</body>\n</html>\n"
    ).encode()
