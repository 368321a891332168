"""The structures a page can have: the same sentences, another tree of elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from ronda.demo.timeline import FORM_VARIANTS

SENTENCES_PER_PARAGRAPH = 3


def lay_out(variant: int, sentences: Sequence[str], headings: Sequence[str]) -> str:
    """Sentences as HTML in one of the FORM_VARIANTS structures."""
    paragraphs = [
        [escape(sentence) for sentence in sentences[start : start + SENTENCES_PER_PARAGRAPH]]
        for start in range(0, len(sentences), SENTENCES_PER_PARAGRAPH)
    ]
    titles = [escape(headings[number % len(headings)].capitalize()) for number in range(len(paragraphs))]
    return _LAYOUTS[variant % FORM_VARIANTS](paragraphs, titles)


def _sections(paragraphs: list[list[str]], titles: list[str]) -> str:
    return "\n".join(
        f"<section><h2>{title}</h2><p>{' '.join(paragraph)}</p></section>"
        for title, paragraph in zip(titles, paragraphs, strict=True)
    )


def _lists(paragraphs: list[list[str]], titles: list[str]) -> str:
    return "\n".join(
        f"<h2>{title}</h2><ul>{''.join(f'<li>{sentence}</li>' for sentence in paragraph)}</ul>"
        for title, paragraph in zip(titles, paragraphs, strict=True)
    )


def _table(paragraphs: list[list[str]], titles: list[str]) -> str:
    rows = "\n".join(
        f"<tr><th>{title}</th><td>{' '.join(paragraph)}</td></tr>"
        for title, paragraph in zip(titles, paragraphs, strict=True)
    )
    return f"<table>{rows}</table>"


def _columns(paragraphs: list[list[str]], titles: list[str]) -> str:
    half = (len(paragraphs) + 1) // 2
    left = _sections(paragraphs[:half], titles[:half])
    return (
        f'<div class="pair"><div>{left}</div><div>{_sections(paragraphs[half:], titles[half:])}</div></div>'
    )


def _quotes(paragraphs: list[list[str]], titles: list[str]) -> str:
    return "\n".join(
        f"<article><h2>{title}</h2><blockquote><p>{paragraph[0]}</p></blockquote>"
        f"<p>{' '.join(paragraph[1:])}</p></article>"
        for title, paragraph in zip(titles, paragraphs, strict=True)
    )


_LAYOUTS: tuple[Callable[[list[list[str]], list[str]], str], ...] = (
    _sections,
    _lists,
    _table,
    _columns,
    _quotes,
)
