"""What we say to a server: little, always the same, and who we are."""

from __future__ import annotations

import re

from ronda_node.outcomes import FetchRequest, Method
from ronda_node.urls import CanonicalUrl

ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
_SAFE_VALUE = re.compile(r"[\x20-\x7e\xa0-\xff]{1,512}")


class RequestHead:
    """The head of a request for a URL, by one User-Agent."""

    def __init__(self, user_agent: str) -> None:
        if not _SAFE_VALUE.fullmatch(user_agent):
            raise ValueError(f"{user_agent!r} cannot be a User-Agent.")
        self._always = (
            f"User-Agent: {user_agent}\r\nAccept: {ACCEPT}\r\n"
            "Accept-Encoding: gzip, deflate, br, zstd\r\nConnection: keep-alive\r\n"
        )

    def of(self, method: Method, url: CanonicalUrl, conditions: FetchRequest | None = None) -> bytes:
        head = f"{method.value} {url.target} HTTP/1.1\r\nHost: {url.authority}\r\n{self._always}"
        if conditions:
            head += _condition("If-None-Match", conditions.if_none_match)
            head += _condition("If-Modified-Since", conditions.if_modified_since)
        return f"{head}\r\n".encode("latin-1")


def _condition(name: str, value: str | None) -> str:
    # A validator that would break the head came from a broken server: ask without it.
    return f"{name}: {value}\r\n" if value and _SAFE_VALUE.fullmatch(value) else ""
