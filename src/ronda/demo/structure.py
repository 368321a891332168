"""The standing pages of a site: a home page, its sections, and the leaves under them."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from ronda.demo.prose import material
from ronda.demo.sites import RobotsKind, Site

HOME = "/"
RESERVED = "/private/"  # what sites with rules keep crawlers out of
STORIES = "/stories/"


@dataclass(frozen=True)
class Page:
    """A page that exists from the beginning. `weight` is its share of the site's changes."""

    path: str
    title: str
    parent: str
    weight: float


def slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


def standing_pages(site: Site) -> tuple[Page, ...]:
    """The pages of a site in the order of its menu. Few pages get most of the changes."""
    names = material(site.language).kinds[site.kind]
    home = Page(HOME, site.title, parent="", weight=6.0)
    sections = [Page(f"/{slug(name)}/", name, HOME, weight=2.0) for name in names.sections]
    wanted_leaves = max(0, site.page_count - 1 - len(sections))
    leaves = [
        Page(
            f"{section.path}{slug(leaf)}",
            f"{section.title}: {leaf}",
            section.path,
            weight=1 / (1 + rank),
        )
        for rank, leaf in enumerate(names.leaves)
        for section in sections
    ]
    return (home, *sections, *leaves[:wanted_leaves], *_reserved_pages(site))


def _reserved_pages(site: Site) -> tuple[Page, ...]:
    if site.robots is not RobotsKind.DISALLOW:
        return ()
    title = material(site.language).words["reserved"]
    return tuple(Page(f"{RESERVED}{n}", f"{title} {n}", HOME, weight=0.1) for n in (1, 2, 3))


def story_path(number: int) -> str:
    return f"{STORIES}{number}"


def story_number(path: str) -> int | None:
    """The number in the path of a story, or None if the path is of something else."""
    tail = path.removeprefix(STORIES)
    if not path.startswith(STORIES) or not tail.isascii() or not tail.isdigit() or tail.startswith("0"):
        return None
    return int(tail) if len(tail) < 10 else None
