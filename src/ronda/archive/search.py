"""Finding captures: by words of their text, by URL, collection, time, status and type; a page of results at a time."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext_noop

from ronda.accounts.models import Person
from ronda.archive.models import Capture, Text
from ronda.archive.moments import end_of, first_second
from ronda.archive.queries import collections_seen
from ronda.archive.urlkeys import LAST, Match, Stretch, stretch_of
from ronda.database.named_sql import named_sql
from ronda.database.time_limits import at_most
from ronda.errors import InvalidInput

MOST_TEXTS = 1000
MOST_PAGES = 10_000
MOST_SEEN = 20
MOST_SECONDS = 30
# Beginning and end of what was found, in letters that no kept text has.
BEGIN, END = "\ue000", "\ue001"
HEADLINE = (
    f'StartSel="{BEGIN}", StopSel="{END}", MaxFragments=2, MaxWords=30, MinWords=12, FragmentDelimiter=" … "'
)
HEADLINE_LETTERS = 30_000
NO_WORD = gettext_noop("Search for at least one word, not only for words to leave out.")


@dataclass(frozen=True)
class SearchWanted:
    """Nothing given: everything the actor may see."""

    words: str = ""
    url: str = ""
    match: Match | None = None
    collection: str = ""
    since: str = ""
    until: str = ""
    status: int | None = None
    mime: str = ""
    # Of these sources only (what has a topic is for rooms above to know); None: of any or none.
    sources: tuple[uuid.UUID, ...] | None = None

    @property
    def is_empty(self) -> bool:
        return not (self.words or self.url)


@dataclass(frozen=True)
class FoundPage:
    """A URL: the captures of it that match, newest first, and what they say."""

    seen: list[Capture]
    versions: int
    title: str
    highlight: SafeString

    @property
    def newest(self) -> Capture:
        return self.seen[0]

    @property
    def collections(self) -> list[str]:
        """The names of those its captures stand in, that of the newest first."""
        return list(dict.fromkeys(one.collection.name for one in self.seen if one.collection))


@dataclass(frozen=True)
class Found:
    pages: list[FoundPage]
    total: int
    # There were more: only the newest were looked at.
    is_cut: bool


def search(*, actor: Person | None, wanted: SearchWanted, page: int = 1, page_size: int = 20) -> Found:
    conditions, values = _conditions(actor, wanted)
    values |= {
        "words": wanted.words,
        "first": (page - 1) * page_size,
        "page_size": page_size,
        "most_texts": MOST_TEXTS,
        "most_pages": MOST_PAGES,
        "most_seen": MOST_SEEN,
    }
    if wanted.words:
        _check_words(wanted.words)
        rows = _asked(
            named_sql("ronda.archive", "search_words").format(captures=conditions), values, by_index=True
        )
    else:
        rows = _asked(named_sql("ronda.archive", "search_urls").format(captures=conditions), values)
    total, texts = (rows[0][3], rows[0][4]) if rows else (0, 0)
    return Found(_pages(rows, wanted.words), total, texts >= MOST_TEXTS or total >= MOST_PAGES)


def _conditions(actor: Person | None, wanted: SearchWanted) -> tuple[str, dict[str, Any]]:
    """What a capture `c` must be like, as SQL and its values."""
    seen = collections_seen(actor, wanted.collection)
    stretch = stretch_of(wanted.url, wanted.match) if wanted.url else Stretch("", LAST)
    given: list[tuple[str, str, Any]] = [
        ("c.collection_id = ANY(%(collections)s)", "collections", seen),
        ("c.urlkey >= %(first_key)s AND c.urlkey < %(end_key)s", "first_key", stretch.first),
    ]
    values: dict[str, Any] = {"end_key": stretch.end}
    if wanted.since:
        given.append(("c.fetched_at >= %(since)s", "since", first_second(wanted.since, field="from")))
    if wanted.until:
        given.append(("c.fetched_at < %(until)s", "until", end_of(wanted.until, field="to")))
    if wanted.status is not None:
        given.append(("c.status = %(status)s", "status", wanted.status))
    if wanted.mime:
        given.append(("starts_with(c.mime, %(mime)s)", "mime", wanted.mime))
    if wanted.sources is not None:
        given.append(("c.source = ANY(%(sources)s::uuid[])", "sources", list(wanted.sources)))
    clauses = ["c.collection_id IS NOT NULL AND c.voided_at IS NULL AND c.forgotten_at IS NULL"]
    for clause, name, value in given:
        clauses.append(clause)
        values[name] = value
    return " AND ".join(clauses), values


def _check_words(words: str) -> None:
    """Only words to leave out would mean reading everything."""
    [(tree,)] = _asked("SELECT querytree(websearch_to_tsquery('simple', %(words)s))", {"words": words})
    if tree in ("T", ""):
        raise InvalidInput(NO_WORD, field="q")


def _pages(rows: Sequence[Any], words: str) -> list[FoundPage]:
    ids = [key for row in rows for key in row[0]]
    captures = Capture.objects.select_related("collection", "file").in_bulk(ids)
    texts = _texts([row[2] for row in rows], words) if words else _titles(captures.values())
    found = []
    for seen, versions, text_id, *_ in rows:
        shown = [captures[key] for key in seen]
        title, highlight = texts.get(text_id if words else shown[0].digest, ("", ""))
        found.append(FoundPage(shown, versions, title, _marked(highlight)))
    return found


def _texts(ids: list[int], words: str) -> dict[Any, tuple[str, str]]:
    values = {"ids": ids, "words": words, "options": HEADLINE, "most_letters": HEADLINE_LETTERS}
    rows = _asked(named_sql("ronda.archive", "highlights"), values)
    return {key: (title, highlight) for key, title, highlight in rows}


def _titles(captures: Any) -> dict[Any, tuple[str, str]]:
    rows = Text.objects.filter(digest__in=[one.digest for one in captures]).values_list("digest", "title")
    return {digest: (title, "") for digest, title in rows}


def _marked(highlight: str) -> SafeString:
    """As HTML: whatever the page said is text, only our own marks are marks."""
    marked = escape(highlight).replace(BEGIN, "<mark>").replace(END, "</mark>")
    return mark_safe(marked)  # noqa: S308  (escaped above)


def _asked(sql: str, values: dict[str, Any], *, by_index: bool = False) -> list[Any]:
    """`by_index`: never by reading all there is. PostgreSQL thinks that cheap for words many texts have, as it does not
    count that the words of each lie apart from its row."""
    with at_most(MOST_SECONDS, field="q"), connection.cursor() as cursor:
        if by_index:
            cursor.execute("SELECT set_config('enable_seqscan', 'off', true)")
        cursor.execute(sql, values)
        rows = list(cursor.fetchall())
        if by_index:  # in a transaction around this one it would hold on
            cursor.execute("SELECT set_config('enable_seqscan', 'on', true)")
        return rows
