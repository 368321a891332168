"""The past of a site, built as far as somebody asked: what a page is at a moment, in O(log n)."""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from ronda.demo.schedule import Change, ChangeKind, scheduled_changes
from ronda.demo.seeding import seeded_number
from ronda.demo.sites import Site
from ronda.demo.structure import HOME, Page, standing_pages

HORIZON = timedelta(days=20 * 365)
SENTENCES_PER_PAGE = 18
FORM_VARIANTS = 5


class PageState(NamedTuple):
    """Everything a page's looks depend on. Equal states render to equal bytes.

    `sentences` holds the edition of each sentence; `form % FORM_VARIANTS` is the structure, `view` the theme.
    """

    sentences: tuple[int, ...]
    form: int
    view: int
    stories: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A page at a moment: its state, how often it had changed, and when last."""

    state: PageState
    change_count: int
    changed_at: datetime


class PageHistory:
    """The changes of one page and the states they led to; states are folded when first asked for."""

    def __init__(self, page: Page, key: tuple[object, ...], epoch: datetime) -> None:
        self.page = page
        self.changes: list[Change] = []
        self._moments: list[datetime] = []
        self._states = [PageState((0,) * SENTENCES_PER_PAGE, 0, 0, 0)]
        self._key = (*key, page.path)
        self._epoch = epoch

    def append(self, change: Change) -> None:
        self.changes.append(change)
        self._moments.append(change.at)

    def at(self, moment: datetime) -> Snapshot:
        count = bisect_right(self._moments, moment)
        while len(self._states) <= count:
            self._states.append(self._next_state())
        return Snapshot(self._states[count], count, self._moments[count - 1] if count else self._epoch)

    def _next_state(self) -> PageState:
        ordinal = len(self._states)
        change, state = self.changes[ordinal - 1], self._states[-1]
        if change.is_return:
            return self._states[-2]
        if change.story:
            return state._replace(stories=change.story)
        if change.kind is ChangeKind.VIEW:
            return state._replace(view=ordinal)
        if change.kind is ChangeKind.FORM:
            return state._replace(form=_other_form(state.form, ordinal))
        touched = max(1, round(change.importance * SENTENCES_PER_PAGE))
        first = seeded_number(*self._key, ordinal) % SENTENCES_PER_PAGE
        sentences = list(state.sentences)
        for offset in range(touched):
            sentences[(first + offset) % SENTENCES_PER_PAGE] = ordinal
        return state._replace(sentences=tuple(sentences))


def _other_form(form: int, ordinal: int) -> int:
    """A form never used before whose variant differs from the present one."""
    step = 1 + ordinal % (FORM_VARIANTS - 1)
    return ordinal * FORM_VARIANTS + (form + step) % FORM_VARIANTS


class SiteTimeline:
    """All that happened to a site. It grows on demand and is safe to use from several threads."""

    def __init__(self, site: Site, seed: int, epoch: datetime) -> None:
        self.site = site
        self.pages = standing_pages(site)
        self._horizon = epoch + HORIZON
        self._lock = threading.RLock()
        self._upcoming = scheduled_changes(site, self.pages, seed, epoch)
        self._next: Change | None = next(self._upcoming, None)
        self._changes: list[Change] = []
        self._moments: list[datetime] = []
        self._stories: list[datetime] = []
        self._histories = {page.path: PageHistory(page, (seed, site.name), epoch) for page in self.pages}

    def changes(self, since: datetime, until: datetime) -> Sequence[Change]:
        """The changes after `since`, up to and including `until`: adjoining spans never share one."""
        with self._lock:
            self._grow(until)
            return self._changes[bisect_right(self._moments, since) : bisect_right(self._moments, until)]

    def page(self, path: str) -> Page | None:
        history = self._histories.get(path)
        return history.page if history else None

    def at(self, path: str, moment: datetime) -> Snapshot:
        """A standing page at a moment. Before the epoch nothing has happened yet."""
        with self._lock:
            self._grow(moment)
            return self._histories[path].at(moment)

    def story_count(self, moment: datetime) -> int:
        return self.at(HOME, moment).state.stories

    def story_published_at(self, number: int) -> datetime:
        """When a story that is out came out."""
        return self._stories[number - 1]

    def latest_stories(self, count: int, limit: int) -> Iterator[tuple[int, datetime]]:
        """The newest `limit` of the first `count` stories, newest first."""
        return ((number, self._stories[number - 1]) for number in range(count, max(0, count - limit), -1))

    def _grow(self, moment: datetime) -> None:
        """Draw from the schedule until it is past the moment (or the horizon: no clock makes it endless)."""
        moment = min(moment, self._horizon)
        while self._next is not None and self._next.at <= moment:
            self._record(self._next)
            self._next = next(self._upcoming, None)

    def _record(self, change: Change) -> None:
        self._changes.append(change)
        self._moments.append(change.at)
        self._histories[change.path].append(change)
        if change.story:
            self._stories.append(change.at)
