"""URLs as indexes of archives sort them (SURT), and the stretch of the index that a pattern means."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

import surt

from ronda.errors import InvalidInput

LONGEST_URL = 8000
# Sorts behind whatever may follow a prefix.
LAST = chr(0x10FFFF)


# Nothing in such a URL is changed but the order of its host's names; everything else is for the package to know.
_PLAIN = re.compile(
    r"https?://((?!www\d*\.)(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*)/((?:[a-z0-9_-][a-z0-9_.-]*(?:/|$))*)"
)


class Match(StrEnum):
    EXACT = "exact"
    PREFIX = "prefix"
    HOST = "host"
    DOMAIN = "domain"


@dataclass(frozen=True)
class Stretch:
    """Keys from `first` (included) to `end` (not included)."""

    first: str
    end: str


def urlkey_of(url: str) -> str:
    """com,example)/path for http://www.example.com/path; empty for what is no URL.

    Of plain URLs it is made here, in a thirtieth of the time.
    """
    if plain := _PLAIN.fullmatch(url):
        host = ",".join(reversed(plain[1].split(".")))
        return f"{host})/{plain[2].removesuffix('/')}"
    try:
        key: str = surt.surt(url)
    except (ValueError, IndexError, AttributeError, TypeError):  # what it trips over, it is not made for
        return ""
    return "" if key == "-" else key


def stretch_of(url: str, match: Match | None = None) -> Stretch:
    """`url` may be a pattern: `http://a.example/path*` (prefix), `*.a.example` (domain)."""
    wanted, kind = _pattern(url.strip(), match)
    key = urlkey_of(wanted)
    if not key or len(wanted) > LONGEST_URL or "\0" in key:
        raise InvalidInput(
            f"{url[:200]!r} is no URL.",
            field="url",
            hint="Examples: https://example.org/page, example.org/news/*, *.example.org",
        )
    host = key.partition(")")[0]
    match kind:
        case Match.EXACT:
            return Stretch(key, key + "\x01")
        case Match.PREFIX:
            return _prefix(wanted, key)
        case Match.HOST:
            return Stretch(f"{host})/", f"{host})/{LAST}")
        case Match.DOMAIN:
            # Between ")" and "-" stand the host itself and, behind ",", all below it. A top-level domain has no pages.
            return Stretch(f"{host})/" if "," in host else f"{host},", f"{host}-")


def _pattern(url: str, match: Match | None) -> tuple[str, Match]:
    if match is not None:
        return url, match
    if url.startswith("*."):
        return url.removeprefix("*."), Match.DOMAIN
    if url.endswith("*"):
        return url.removesuffix("*"), Match.PREFIX
    return url, Match.EXACT


def _prefix(url: str, key: str) -> Stretch:
    """Keys lose a slash or question mark at the end of their URL; a prefix means it."""
    for sign in "/?":
        if url.endswith(sign) and not key.endswith(sign):
            key += sign
    return Stretch(key, key + LAST)
