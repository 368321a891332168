"""All revisions of the demo wiki, numbered as they were stored, grown as far as somebody asked."""

from __future__ import annotations

import heapq
import threading
from bisect import bisect_right, insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha1

from ronda.demo.seeding import seeded_number
from ronda.demo.wiki.articles import Article, load_articles
from ronda.demo.wiki.history import Edit, article_edits
from ronda.demo.wiki.text import Body, wikitext

HORIZON = timedelta(days=20 * 365)
FIRST_REVISION_ID = 5_001
CACHED_DIGESTS = 50_000


@dataclass(frozen=True, slots=True)
class Revision:
    """One revision. `number` counts all revisions of the wiki in the order they were stored."""

    id: int
    number: int
    parent_id: int
    article: Article
    edit: Edit

    @property
    def at(self) -> datetime:
        return self.edit.at

    @property
    def key(self) -> tuple[datetime, int]:
        """The order of a history: time first, the id breaks ties."""
        return self.edit.at, self.id


@dataclass(frozen=True, slots=True)
class TextDigest:
    size_bytes: int
    sha1_hex: str


class WikiChronicle:
    """The wiki at any moment from the epoch on; what came before is always there. Safe across threads."""

    def __init__(self, seed: int, epoch: datetime) -> None:
        self.seed = seed
        self.epoch = epoch
        self.articles = load_articles()
        self._by_title = {article.title: article for article in self.articles}
        self._by_page_id = {article.page_id: article for article in self.articles}
        self._lock = threading.RLock()
        self._upcoming = _stored_edits(self.articles, seed, epoch)
        self._next: tuple[Edit, Article] | None = next(self._upcoming, None)
        self._all: list[Revision] = []
        self._by_id: dict[int, Revision] = {}
        self._by_page: dict[int, list[Revision]] = {article.page_id: [] for article in self.articles}
        self._digests: dict[tuple[int, Body], TextDigest] = {}
        self._last_id = FIRST_REVISION_ID - 1

    def article(self, title: str) -> Article | None:
        return self._by_title.get(title)

    def article_by_id(self, page_id: int) -> Article | None:
        return self._by_page_id.get(page_id)

    def revisions(self, article: Article, moment: datetime) -> Sequence[Revision]:
        """The history of an article until a moment, oldest first."""
        with self._lock:
            self._grow(moment)
            history = self._by_page[article.page_id]
            return history[: bisect_right(history, max(moment, self.epoch), key=lambda revision: revision.at)]

    def revision(self, revision_id: int, moment: datetime) -> Revision | None:
        with self._lock:
            self._grow(moment)
            found = self._by_id.get(revision_id)
        return found if found and found.at <= max(moment, self.epoch) else None

    def latest(self, article: Article, moment: datetime) -> Revision:
        return self.revisions(article, moment)[-1]

    def stored(self, since: datetime, until: datetime) -> Sequence[Revision]:
        """What the whole wiki stored after `since`, up to and including `until`, in that order."""
        with self._lock:
            self._grow(until)
            low, high = (
                bisect_right(self._all, moment, key=lambda revision: revision.edit.stored_at)
                for moment in (since, max(until, self.epoch))
            )
            return self._all[low:high]

    def text(self, revision: Revision) -> str:
        return wikitext(self.seed, revision.article, revision.edit.body)

    def digest(self, revision: Revision) -> TextDigest:
        """Size and hash of a text; kept, because metadata is asked for far more often than text."""
        key = (revision.article.page_id, revision.edit.body)
        found = self._digests.get(key)
        if found is None:
            if len(self._digests) >= CACHED_DIGESTS:
                self._digests.clear()
            data = self.text(revision).encode()
            found = self._digests[key] = TextDigest(len(data), sha1(data, usedforsecurity=False).hexdigest())
        return found

    def _grow(self, moment: datetime) -> None:
        moment = min(max(moment, self.epoch), self.epoch + HORIZON)
        while self._next is not None and self._next[0].stored_at <= moment:
            self._record(*self._next)
            self._next = next(self._upcoming, None)

    def _record(self, edit: Edit, article: Article) -> None:
        """Ids have gaps, as deleted pages leave them."""
        number = len(self._all)
        self._last_id += 1 + seeded_number("revision id", number) % 3
        history = self._by_page[article.page_id]
        place = bisect_right(history, edit.at, key=lambda revision: revision.at)
        parent_id = history[place - 1].id if place else 0
        revision = Revision(self._last_id, number, parent_id, article, edit)
        self._all.append(revision)
        self._by_id[revision.id] = revision
        insort(history, revision, key=lambda earlier: earlier.key)


def _stored_edits(articles: Sequence[Article], seed: int, epoch: datetime) -> Iterator[tuple[Edit, Article]]:
    streams = [_labelled(article, seed, epoch) for article in articles]
    return heapq.merge(*streams, key=lambda pair: pair[0].stored_at)


def _labelled(article: Article, seed: int, epoch: datetime) -> Iterator[tuple[Edit, Article]]:
    return ((edit, article) for edit in article_edits(article, seed, epoch))
