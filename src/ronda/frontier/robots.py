"""robots.txt (RFC 9309), read by Protego: may we, how fast, and which rule says so."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

from protego import Protego

from ronda.frontier.robots_groups import disallowed_for
from ronda_node.robots import AGENT

PATH = "/robots.txt"
# RFC 9309 §2.5: at least 500 KiB must be read; more than that is not worth anybody's memory.
MAX_BYTES = 500 * 1024
# §2.4: not used for longer than a day; a file that could not be had is asked for again sooner.
LIFE_SECONDS = 24 * 3600
UNREACHABLE_LIFE_SECONDS = 3600
# What a node brought that nobody knows yet.
UNPROVEN_LIFE_SECONDS = 3600

# Hardly any is longer, and blocks must stay small.
MOST_SENT_CHARACTERS = 20_000


@dataclass(frozen=True)
class Refusal:
    """Why a URL is not fetched."""

    rule: str

    def __str__(self) -> str:
        return f"refused by robots.txt: {self.rule}"


@lru_cache(maxsize=4096)
def _parsed(text: str) -> Protego:
    return Protego.parse(text)


def decode(body: bytes) -> str:
    """The text of a robots.txt as received; what is no UTF-8 is read past, not refused (§2.3)."""
    return body[:MAX_BYTES].decode("utf-8", errors="replace").removeprefix("\ufeff").replace("\0", "")


def refusal_of(text: str, url: str) -> Refusal | None:
    """None if we may fetch `url`; the rules themselves always may be had (§2.2.2)."""
    if urlsplit(url).path == PATH or _parsed(text).can_fetch(url, AGENT):
        return None
    return Refusal(_rule_that_refuses(text, url))


def _rule_that_refuses(text: str, url: str) -> str:
    """The most specific Disallow line for us that alone would refuse `url`: what the site's owner would look for."""
    for pattern in _patterns_for_us(text):
        if not Protego.parse(f"User-agent: *\nDisallow: {pattern}\n").can_fetch(url, AGENT):
            return f"Disallow: {pattern}"
    return "Disallow"


@lru_cache(maxsize=256)
def _patterns_for_us(text: str) -> list[str]:
    return sorted(set(disallowed_for(AGENT, text)), key=len, reverse=True)


def rules_for_nodes(text: str) -> str:
    """What a node needs to tell where a redirect may lead. Without all of the rules it follows none."""
    return text if len(text) <= MOST_SENT_CHARACTERS else "User-agent: *\nDisallow: /\n"


def crawl_delay_seconds(text: str) -> float | None:
    return _parsed(text).crawl_delay(AGENT)


def sitemaps(text: str) -> list[str]:
    return list(_parsed(text).sitemaps)
