"""Text of strangers in what a job keeps: made storable, whatever it is. PostgreSQL holds no NUL and no half letters."""

from __future__ import annotations

from typing import Any


def storable(value: Any) -> Any:
    """JSON as it was, but for signs that cannot be stored: they are shown as escapes (`\\x00`)."""
    match value:
        case str():
            return storable_text(value)
        case dict():
            return {storable(name): storable(inner) for name, inner in value.items()}
        case list() | tuple():
            return [storable(inner) for inner in value]
    return value


def storable_text(text: str) -> str:
    return text.replace("\0", "\\x00").encode("utf-8", "backslashreplace").decode()
