"""Which of the URLs found a capture takes, and why it leaves the others: scope, depth, traps, budgets."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from django.utils import timezone

from ronda.rounds import traps
from ronda.rounds.leads import Found
from ronda.rounds.models import PageRole, Scope, Source, VisitPage
from ronda.rounds.queueing import NewPage
from ronda.rounds.scopes import Reach
from ronda.rounds.traps import PatternBudget
from ronda_node.policy import ANYWHERE
from ronda_node.urls import CanonicalUrl, canonicalise

# How many times the pages their parts may be, and how far parts may have parts: a frame in a frame in a frame.
PARTS_PER_PAGE = 20
LEAST_PARTS = 200
PARTS_DEEP = 5
MOST_ENTRIES = 6
MOST_LISTS = 50
# Of pages and their parts: so many that only lead on may come one behind the other. On its own host a node follows five
# before it asks again.
MOST_MOVES = 6

OUT_OF_SCOPE = "out of scope"
TOO_DEEP = "too many links deep"
NO_MORE_PAGES = "the budget of pages is used up"
NO_MORE_PARTS = "the budget of parts is used up"
NO_MORE_LISTS = "too many sitemaps and feeds"
NO_MORE_BUDGET = "the budget was used up"
# Why a URL is left that a larger budget would have had.
BUDGETS = (NO_MORE_PAGES, NO_MORE_PARTS, NO_MORE_LISTS, NO_MORE_BUDGET)
LED_ON_TOO_OFTEN = "redirected too often"
MOVED_TOO_OFTEN = "the entry page moved too often"


@dataclass(frozen=True)
class Candidate:
    """A URL found, in the form it would be asked for, and the page it was found on."""

    url: CanonicalUrl
    role: PageRole
    depth: int
    found_on: int
    # Its page leads on to it, in place of itself.
    is_moved: bool = False

    @property
    def rank(self) -> tuple[bool, int]:
        """Of the ways to one URL, the one that counts: parts are taken from anywhere, else the nearest way."""
        return self.role == PageRole.PAGE, self.depth

    @classmethod
    def of(cls, found: Found, page: VisitPage) -> Candidate:
        """Session ids go off pages only: a part of a page is asked for as the page does."""
        tidy = traps.without_session(found.url.text) if found.role == PageRole.PAGE else found.url.text
        url = found.url if tidy == found.url.text else canonicalise(tidy, ANYWHERE)
        # Links lead deeper, parts are of another role: what is neither took the page's place.
        is_moved = found.role == page.role and found.depth == page.depth
        return cls(url, found.role, found.depth, page.pk, is_moved)


@dataclass(frozen=True)
class Left:
    page: NewPage
    reason: str


@dataclass
class Selection:
    """Filled page by page; `taken` and `left` are what came of it."""

    source: Source
    reach: Reach
    budget: PatternBudget
    counts: dict[PageRole, int]
    today: date
    moves: Mapping[int, int] = field(default_factory=dict)
    taken: list[NewPage] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        source: Source,
        *,
        entries: Sequence[str],
        by_role: Mapping[str, int],
        patterns: Iterable[tuple[uuid.UUID, int]],
        moves: Mapping[int, int],
    ) -> Selection:
        """`moves`: of pages that lead on, how many did so before them."""
        return cls(
            source,
            Reach(source.scope, [canonicalise(url, ANYWHERE) for url in entries]),
            PatternBudget.of(patterns, max_pages=source.max_pages),
            {role: by_role.get(role.value, 0) for role in PageRole},
            timezone.now().date(),
            moves,
        )

    def consider(self, candidate: Candidate) -> None:
        """Each URL once, and none that the visit has had."""
        url, role = candidate.url, candidate.role
        pattern = traps.pattern_digest(url.text) if role == PageRole.PAGE else None
        new = NewPage(url, role, candidate.depth, candidate.found_on, pattern)
        if reason := self._reason_to_stay(candidate) or self._reason_to_leave(new):
            self.left.append(Left(new, reason))
        else:
            self.counts[role] += 1
            self.taken.append(new)

    def _reason_to_stay(self, candidate: Candidate) -> str:
        """Entry pages are counted by themselves."""
        is_counted = candidate.is_moved and candidate.role != PageRole.ENTRY
        return LED_ON_TOO_OFTEN if is_counted and self.moves[candidate.found_on] >= MOST_MOVES else ""

    def _reason_to_leave(self, page: NewPage) -> str:
        match page.role:
            case PageRole.ENTRY:
                return MOVED_TOO_OFTEN if self.counts[PageRole.ENTRY] >= MOST_ENTRIES else ""
            case PageRole.REQUISITE:
                return self._reason_to_leave_part(page)
            case PageRole.SITEMAP | PageRole.FEED:
                return self._reason_to_leave_list()
        return self._reason_to_leave_page(page)

    def _reason_to_leave_list(self) -> str:
        if self.source.scope == Scope.PAGE:
            return OUT_OF_SCOPE
        lists = self.counts[PageRole.SITEMAP] + self.counts[PageRole.FEED]
        return NO_MORE_LISTS if lists >= MOST_LISTS else ""

    def _reason_to_leave_part(self, page: NewPage) -> str:
        if page.depth > self.source.depth + PARTS_DEEP:
            return TOO_DEEP
        most = max(LEAST_PARTS, self.source.max_pages * PARTS_PER_PAGE)
        return NO_MORE_PARTS if self.counts[PageRole.REQUISITE] >= most else ""

    def _reason_to_leave_page(self, page: NewPage) -> str:
        if not self.reach.includes(page.url):
            return OUT_OF_SCOPE
        if page.depth > self.source.depth:
            return TOO_DEEP
        if reason := traps.reason_to_leave(page.url.text, today=self.today):
            return reason
        if self.counts[PageRole.PAGE] + self.counts[PageRole.ENTRY] >= self.source.max_pages:
            return NO_MORE_PAGES
        return "" if self.budget.takes(page.url.text) else traps.ONE_PATTERN
