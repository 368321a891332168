"""Lists of URLs as people and programs write them: one a line, plain or as a JSON object."""

from __future__ import annotations

import json

from ronda.errors import InvalidInput


def urls_in(text: str) -> list[str]:
    """The URL of each line; empty lines and those that begin with # are passed over."""
    if "\0" in text:
        raise InvalidInput("This is no text: give a file with one URL a line.", field="urls")
    lines = (line.strip() for line in text.removeprefix("\ufeff").splitlines())
    return [_url_of(line) for line in lines if line and not line.startswith("#")]


def _url_of(line: str) -> str:
    if not line.startswith("{"):
        return line
    try:
        return str(json.loads(line)["url"])
    except (ValueError, KeyError, TypeError):
        raise InvalidInput(f"Not a URL and no object with one: {line[:100]!r}.", field="urls") from None
