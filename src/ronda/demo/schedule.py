"""The schedule of changes of a site: the ground truth that tests and benchmarks count against.

A change is of one kind: CONTENT alters words, FORM alters the structure, VIEW alters the looks.
Two things of real histories are kept on purpose. A share of changes *returns* to what was there before
(flapping), and now and then a redesign touches every page at once (a mass change): neither is
independent news.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import accumulate
from typing import NamedTuple

from ronda.demo.rhythm import Behaviour, Rhythm, moments
from ronda.demo.seeding import seeded_stream
from ronda.demo.sites import Site
from ronda.demo.structure import HOME, Page, story_path

REDESIGNS_PER_DAY = 1 / 180
NEVER = math.inf
STORY_SHARE = 0.85  # of the changes of a site that publishes stories
CONTENT_SHARE, FORM_SHARE = 0.80, 0.08


class ChangeKind(StrEnum):
    CONTENT = "content"
    FORM = "form"
    VIEW = "view"


class Change(NamedTuple):
    """One change of one page.

    `importance` runs from 0 to 1: for CONTENT the share of sentences touched, for the others how much a
    reader would notice. `story` is the number of the story it puts up, 0 for none.
    """

    at: datetime
    path: str
    kind: ChangeKind
    importance: float
    is_mass: bool = False
    is_return: bool = False
    story: int = 0

    @property
    def published_path(self) -> str | None:
        return story_path(self.story) if self.story else None


def scheduled_changes(site: Site, pages: Sequence[Page], seed: int, epoch: datetime) -> Iterator[Change]:
    """All changes of a site from the epoch on, in order, without end unless the site falls silent.

    Moments are whole seconds and no page changes twice in one, so Last-Modified can tell states apart.
    """
    writer = _ChangeWriter(site, pages, seed)
    edits = moments(site.rhythm, epoch, seeded_stream(seed, site.name, "edits"))
    redesigns = moments(_redesign_rhythm(site), epoch, seeded_stream(seed, site.name, "redesigns"))
    edit_at, redesign_at = next(edits, NEVER), next(redesigns, NEVER)
    last_second = 0
    while (seconds := min(edit_at, redesign_at)) < NEVER:
        last_second = max(last_second + 1, int(seconds))
        at = epoch + timedelta(seconds=last_second)
        if edit_at <= redesign_at:
            yield writer.edit(at)
            edit_at = next(edits, NEVER)
        else:
            yield from writer.redesign(at)
            redesign_at = next(redesigns, NEVER)


def _redesign_rhythm(site: Site) -> Rhythm:
    """What stopped or never moved is not redesigned either."""
    calm = (Behaviour.STOPPED, Behaviour.SILENT)
    behaviour = site.rhythm.behaviour if site.rhythm.behaviour in calm else Behaviour.STEADY
    return replace(site.rhythm, behaviour=behaviour, changes_per_day=REDESIGNS_PER_DAY)


class _ChangeWriter:
    """Decides what changes at each moment; remembers the last change of each page and counts stories."""

    def __init__(self, site: Site, pages: Sequence[Page], seed: int) -> None:
        self._has_stories = site.publishes_stories
        self._return_share = site.return_share
        self._paths = [page.path for page in pages]
        self._cumulative_weights = list(accumulate(page.weight for page in pages))
        self._random = seeded_stream(seed, site.name, "changes")
        self._last: dict[str, Change] = {}
        self._stories = 0

    def edit(self, at: datetime) -> Change:
        is_story = self._has_stories and self._random.random() < STORY_SHARE
        change = self._story(at) if is_story else self._page_edit(at)
        self._last[change.path] = change
        return change

    def redesign(self, at: datetime) -> Iterator[Change]:
        kind = self._random.choice((ChangeKind.FORM, ChangeKind.VIEW))
        importance = self._importance(kind)
        for path in self._paths:
            change = Change(at, path, kind, importance, is_mass=True)
            self._last[path] = change
            yield change

    def _story(self, at: datetime) -> Change:
        self._stories += 1
        importance = round(self._random.uniform(0.1, 0.4), 3)
        return Change(at, HOME, ChangeKind.CONTENT, importance, story=self._stories)

    def _page_edit(self, at: datetime) -> Change:
        path = self._random.choices(self._paths, cum_weights=self._cumulative_weights)[0]
        last = self._last.get(path)
        if last and not last.is_mass and not last.story and self._random.random() < self._return_share:
            return last._replace(at=at, is_return=True)
        kind = self._kind()
        return Change(at, path, kind, self._importance(kind))

    def _kind(self) -> ChangeKind:
        draw = self._random.random()
        if draw < CONTENT_SHARE:
            return ChangeKind.CONTENT
        return ChangeKind.FORM if draw < CONTENT_SHARE + FORM_SHARE else ChangeKind.VIEW

    def _importance(self, kind: ChangeKind) -> float:
        """Most edits are small: the cube of a uniform draw, never quite nothing."""
        if kind is ChangeKind.CONTENT:
            return round(0.02 + 0.98 * self._random.random() ** 3, 3)
        low, high = (0.2, 0.5) if kind is ChangeKind.FORM else (0.02, 0.15)
        return round(self._random.uniform(low, high), 3)
