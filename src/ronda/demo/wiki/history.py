"""How an article comes to be: an endless, ordered stream of edits.

It has what real histories have and clients stumble over: several edits in one second, sessions of one editor,
vandalism and its reverts (equal text again), null edits (a move, a protection), hidden parts, imported edits.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from random import Random

from ronda.demo.prose import material
from ronda.demo.seeding import seeded_stream
from ronda.demo.wiki.articles import Article
from ronda.demo.wiki.editors import ADMINISTRATOR, VANDAL_BOT, Editor, address_editor, some_editor
from ronda.demo.wiki.text import Body

SAME_SECOND_SHARE = 0.03
SESSION_SHARE = 0.27
VANDALISM_SHARE = 0.06
PROTECTION_SHARE = 0.004
HIDDEN_SHARE = 0.06  # of vandalism
IMPORT_DELAY_DAYS = 700
FIRST_IMPORTED_EDITION = 100_000  # the other wiki had another text


class Part(StrEnum):
    """What an administrator can hide of a revision."""

    TEXT = "text"
    USER = "user"
    COMMENT = "comment"


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit. Imported ones were stored later than their time; `reverted_at` is when it was undone."""

    at: datetime
    editor: Editor
    comment: str
    body: Body
    is_minor: bool = False
    tags: tuple[str, ...] = ()
    hidden: frozenset[Part] = frozenset()
    reverted_at: datetime | None = None
    imported_at: datetime | None = None

    @property
    def stored_at(self) -> datetime:
        return self.imported_at or self.at


def article_edits(article: Article, seed: int, epoch: datetime) -> Iterator[Edit]:
    """The edits of an article in the order in which the wiki stored them."""
    story = _Story(article, seed, epoch)
    if article.redirect_to:
        return story.redirect_edits()
    if article.imported:
        return heapq.merge(story.edits(), story.imported_edits(), key=lambda edit: edit.stored_at)
    return story.edits()


@dataclass
class _Story:
    """The state of an article while its edits are told."""

    article: Article
    seed: int
    epoch: datetime
    random: Random = field(init=False)
    at: datetime = field(init=False)
    body: Body = field(init=False)
    editor: Editor = field(init=False)
    _editions: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.random = seeded_stream(self.seed, "wiki", self.article.title)
        self.at = self.epoch - timedelta(days=self.article.age_days)
        self._editions = [0] * self.article.first_sections
        self.body = Body(tuple(self._editions))
        self.editor = some_editor(self.random)

    def edits(self) -> Iterator[Edit]:
        moved_at = self.epoch - timedelta(days=self.article.moved_days_ago)
        has_moved = self.article.moved_from is None
        yield Edit(self.at, self.editor, "+", self.body)
        while True:
            self._pass_time()
            if not has_moved and self.at >= moved_at:
                has_moved = True
                yield self._move(moved_at)
            draw = self.random.random()
            if draw < VANDALISM_SHARE:
                yield from self._vandalism()
            elif draw < VANDALISM_SHARE + PROTECTION_SHARE:
                yield Edit(self.at, ADMINISTRATOR, f'Protected "[[{self.article.title}]]"', self.body)
            else:
                yield self._ordinary()

    def redirect_edits(self) -> Iterator[Edit]:
        """A redirect is touched a few times and then left alone."""
        for edition in range(self.article.revisions):
            comment = f"Redirected page to [[{self.article.redirect_to}]]"
            tags = () if edition else ("mw-new-redirect",)
            yield Edit(self.at, ADMINISTRATOR, comment, Body((edition,)), tags=tags)
            self.at += timedelta(days=30)

    def imported_edits(self) -> Iterator[Edit]:
        """Older edits that another wiki had: early in time, late in id, by names without an account here."""
        random = seeded_stream(self.seed, "wiki", self.article.title, "import")
        first_at = self.epoch - timedelta(days=self.article.age_days + 2 * self.article.imported)
        imported_at = self.epoch - timedelta(days=self.article.age_days - IMPORT_DELAY_DAYS)
        for number in range(self.article.imported):
            editor = Editor(f"imported>{some_editor(random).name}")
            at = first_at + timedelta(days=2 * number, seconds=random.randrange(86_400))
            yield Edit(at, editor, "", Body((FIRST_IMPORTED_EDITION + number,)), imported_at=imported_at)

    def _pass_time(self) -> None:
        """Most gaps are long; some edits belong to one editor's session, some share a second."""
        draw = self.random.random()
        if draw < SAME_SECOND_SHARE:
            return
        if draw < SAME_SECOND_SHARE + SESSION_SHARE:
            gap_seconds = 1 + self.random.expovariate(1 / 240)
        else:
            long_share = 1 - SAME_SECOND_SHARE - SESSION_SHARE
            mean_gap_days = self.article.age_days / self.article.revisions / long_share
            gap_seconds = 1 + self.random.expovariate(1 / mean_gap_days) * 86_400
            self.editor = some_editor(self.random)
        self.at += timedelta(seconds=int(gap_seconds))

    def _ordinary(self) -> Edit:
        room = self.article.section_limit - len(self.body.sections)
        growth_share = self.article.section_limit / (0.7 * self.article.revisions)
        sections = list(self.body.sections)
        if room > 0 and self.random.random() < growth_share:
            number = len(sections)
            sections.append(0)
            self._editions.append(-1)
        else:
            number = self.random.randrange(len(sections))
        self._editions[number] += 1
        sections[number] = self._editions[number]
        self.body = Body(tuple(sections))
        comments = material(self.article.language).wiki.comments
        comment = self.random.choice(comments) if self.random.random() < 0.7 else ""
        return Edit(self.at, self.editor, comment, self.body, self.random.random() < 0.3, self._ways())

    def _ways(self) -> tuple[str, ...]:
        draw = self.random.random()
        if self.editor.is_bot or draw < 0.7:
            return ()
        return ("visualeditor",) if draw < 0.88 else ("mobile edit", "mobile web edit")

    def _vandalism(self) -> Iterator[Edit]:
        """Somebody spoils the page; minutes later a bot or a person restores the text, byte by byte."""
        vandal, number = address_editor(self.random), self.random.randrange(1, 10_000)
        spoilt = Body(self.body.sections, vandalism=number)
        spoilt_at = self.at
        self.at += timedelta(seconds=int(20 + self.random.expovariate(1 / 900)))
        hidden = self._hidden()
        tags = {0: (), 1: ("mw-blank",), 2: ("mw-replace",)}[number % 3]
        yield Edit(spoilt_at, vandal, "", spoilt, tags=tags, hidden=hidden, reverted_at=self.at)
        is_bot = self.random.random() < 0.6
        self.editor = VANDAL_BOT if is_bot else some_editor(self.random)
        name = "" if Part.USER in hidden else f" by [[Special:Contributions/{vandal.name}|{vandal.name}]]"
        tag = "mw-rollback" if is_bot else "mw-undo"
        yield Edit(self.at, self.editor, f"Reverted edits{name}", self.body, is_minor=is_bot, tags=(tag,))

    def _hidden(self) -> frozenset[Part]:
        if self.random.random() > HIDDEN_SHARE:
            return frozenset()
        return frozenset(self.random.choice(((Part.TEXT,), (Part.TEXT, Part.COMMENT), tuple(Part))))

    def _move(self, moved_at: datetime) -> Edit:
        """A move leaves a null revision in the history, which follows the page id (not the title)."""
        comment = f"moved page [[{self.article.moved_from}]] to [[{self.article.title}]]"
        return Edit(moved_at, ADMINISTRATOR, comment, self.body, is_minor=True)
