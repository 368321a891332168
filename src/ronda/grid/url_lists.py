"""Lists of URLs as people and programs write them: one a line, plain or as a JSON object."""

from __future__ import annotations

import json

from ronda.errors import InvalidInput


def urls_in(text: str) -> list[str]:
    """The URL of each line; empty lines and those that begin with # are passed over."""
    if "\0" in text:
        raise InvalidInput("This is no text: give a file with one URL a line.", field="urls")
    lines = enumerate((line.strip() for line in text.removeprefix("\ufeff").splitlines()), 1)
    return [_url_of(number, line) for number, line in lines if line and not line.startswith("#")]


def _url_of(number: int, line: str) -> str:
    if not line.startswith("{"):
        return line
    try:
        given = json.loads(line)
    except (ValueError, RecursionError):  # the latter: lists within lists without end
        given = None
    if not isinstance(given, dict) or not isinstance(given.get("url"), str):
        raise InvalidInput(f"Line {number} is no URL and no object with one: {line[:100]!r}.", field="urls")
    if others := sorted(given.keys() - {"url"}):
        raise InvalidInput(
            f"Line {number} says {others[0][:50]!r}: a line has a `url` and nothing else. What holds for all lines "
            "(max_age, strategy, vantage) stands in the address.",
            field="urls",
        )
    return str(given["url"])
