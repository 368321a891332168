"""The articles of the demo wiki, as read from its material."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from ronda.demo.sites import Language

FIRST_PAGE_ID = 101
NAMESPACES = {0: "", 1: "Talk", 2: "User", 10: "Template", 14: "Category"}


@dataclass(frozen=True)
class Article:
    """A page of the wiki. `revisions` is roughly how many it has at the epoch."""

    page_id: int
    title: str
    language: Language
    revisions: int
    age_days: int
    section_limit: int = 1
    first_sections: int = 1
    headings: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    redirect_to: str | None = None
    moved_from: str | None = None
    moved_days_ago: int = 0
    imported: int = 0

    @property
    def namespace(self) -> int:
        return namespace_of(self.title)


def namespace_of(title: str) -> int:
    prefix, colon, _ = title.partition(":")
    return next((number for number, name in NAMESPACES.items() if colon and name == prefix), 0)


@lru_cache
def load_articles() -> tuple[Article, ...]:
    raw = tomllib.loads((files("ronda.demo") / "material" / "wiki.toml").read_text("utf-8"))
    return tuple(_article(FIRST_PAGE_ID + number, row) for number, row in enumerate(raw["articles"]))


def _article(page_id: int, row: dict[str, Any]) -> Article:
    lists = {name: tuple(value) for name, value in row.items() if isinstance(value, list)}
    return Article(page_id=page_id, **{**row, **lists, "language": Language(row["language"])})
