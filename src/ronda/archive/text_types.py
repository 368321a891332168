"""Which payloads have words that can be searched, and how they are read."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    HTML = "html"
    PLAIN = "plain"
    PDF = "pdf"


_KINDS = {
    "text/html": Kind.HTML,
    "application/xhtml+xml": Kind.HTML,
    "text/plain": Kind.PLAIN,
    "text/markdown": Kind.PLAIN,
    "text/csv": Kind.PLAIN,
    "application/pdf": Kind.PDF,
}


def kind_of(mime: str) -> Kind | None:
    return _KINDS.get(mime)


def types_of(kind: Kind) -> list[str]:
    return [mime for mime, its_kind in _KINDS.items() if its_kind is kind]


def has_text(*, mime: str, status: int) -> bool:
    """Whether a capture's text is worth reading: asked when it is indexed."""
    return status == 200 and mime in _KINDS
