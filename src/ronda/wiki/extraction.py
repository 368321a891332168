"""Reads the history of one page into the lake. First everything, oldest first; later what is new. Any crash resumes.

Rows and cursor commit together, so the cursor always says exactly what is there. First time: the wiki's own
continuation (`rvcontinue`: time and id of the next revision) is the cursor. Again: newest first until a revision that
is known, and what is new is then stored oldest first, so that whatever is stored has everything before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from ronda.policies.queries import value_of
from ronda.wiki import questions
from ronda.wiki.api_answers import Answered, Json, Unreadable, answered
from ronda.wiki.conversation import Conversation, Pending
from ronda.wiki.errors import WikiSilent
from ronda.wiki.holdings import has_other_title, known_among, revisions_without_text
from ronda.wiki.pile import COMMIT_REVISIONS, Pile
from ronda.wiki.policies import RECHECKED
from ronda.wiki.revisions import Revision
from ronda.wiki.storing import Cursor, Page, read_cursor, rename, store

UNREADABLE_TRIES = 5

Told = Callable[[int], None]


class Extraction:
    """Of one page. `told` hears how many revisions were read."""

    def __init__(self, conversation: Conversation, page: Page, *, with_text: bool, told: Told) -> None:
        self._conversation = conversation
        self.page = page
        self.with_text = with_text
        self._told = told
        self.read = 0

    def run(self, cursor: Cursor | None) -> bool:
        """Bring the lake up to date from where it stands. Returns whether the wiki still has the page."""
        if cursor is None or not cursor.is_whole:
            return self._first(cursor or Cursor("", 0, is_whole=False, has_texts=self.with_text))
        is_there = self._again(cursor)
        if is_there and self.with_text and not cursor.has_texts:
            self.fill_texts()
        return is_there

    # The first time.

    def _first(self, cursor: Cursor) -> bool:
        has_texts = self.with_text and cursor.has_texts
        with Pile(self.page) as pile:
            is_there = self._read_on(pile, cursor, has_texts)
        if is_there and self.with_text and not has_texts:
            self.fill_texts()
        return is_there

    def _read_on(self, pile: Pile, cursor: Cursor, has_texts: bool) -> bool:
        onward = {"rvcontinue": cursor.place, "continue": "||"} if cursor.place else {}
        pending: Pending | None = self._begin_oldest(onward)
        newest, is_there = cursor.newest, True
        while pending is not None:
            got = self.take(pending)
            is_there = is_there and got.is_there
            # The next question is out before anything is made of this answer.
            pending = self._begin_oldest(got.onward) if got.onward.get("rvcontinue") else None
            pile.add(got.revisions)
            newest = max([newest, *(one.revid for one in got.revisions)])
            if pile.is_full or pending is None:
                place = got.onward.get("rvcontinue", "")
                is_whole = pending is None and is_there
                pile.store(Cursor(place, newest, is_whole=is_whole, has_texts=has_texts))
            self._advance(len(got.revisions))
        return is_there

    def _begin_oldest(self, onward: dict[str, str]) -> Pending:
        question = questions.oldest_first(self.page.pageid, with_text=self.with_text, onward=onward)
        return self._conversation.begin(question)

    # Again.

    def _again(self, cursor: Cursor) -> bool:
        fresh: list[Revision] = []
        is_there = True
        for got in self._newest(int(value_of(RECHECKED))):
            is_there = got.is_there
            if not is_there:
                break
            self._follow_move(got.title)
            known = known_among(self.page.wiki, [one.revid for one in got.revisions])
            # Tags and visibility of known ones may have changed since.
            store(self.page, [one for one in got.revisions if one.revid in known], None)
            fresh += [one for one in got.revisions if one.revid not in known]
            if known:
                break
        self._store_fresh(sorted(fresh, key=lambda one: (one.timestamp, one.revid)), cursor)
        return is_there

    def _follow_move(self, title: str) -> None:
        self.page = replace(self.page, title=title or self.page.title)
        if has_other_title(self.page.wiki, self.page.pageid, self.page.title):
            rename(self.page)

    def _newest(self, limit: int) -> Iterator[Answered]:
        onward: dict[str, str] = {}
        while True:
            question = questions.newest_first(self.page.pageid, limit=limit, onward=onward)
            got = self.take(self._conversation.begin(question))
            yield got
            onward, limit = got.onward, questions.MOST_WITHOUT
            if not onward.get("rvcontinue"):
                return

    def _store_fresh(self, fresh: list[Revision], cursor: Cursor) -> None:
        """Oldest first: a crash leaves nothing unknown behind something known."""
        newest = cursor.newest
        size = questions.MOST_IDS if self.with_text else COMMIT_REVISIONS
        for start in range(0, len(fresh), size):
            piece = fresh[start : start + size]
            if self.with_text:
                piece = self._with_texts(piece)
            newest = max([newest, *(one.revid for one in piece)])
            store(self.page, piece, replace(cursor, newest=newest))
            self._advance(len(piece))

    # Texts by revision ids: of what is new, and of what was once taken without.

    def fill_texts(self) -> int:
        """Texts that are named by their sha1 and not here. Returns how many were asked for."""
        wanted = revisions_without_text(self.page.wiki, self.page.pageid)
        for start in range(0, len(wanted), questions.MOST_IDS):
            store(self.page, self.by_ids(wanted[start : start + questions.MOST_IDS]), None)
            self._told(self.read)
        if cursor := read_cursor(self.page.wiki, self.page.pageid):
            store(self.page, [], replace(cursor, has_texts=True))
        return len(wanted)

    def _with_texts(self, revisions: Sequence[Revision]) -> list[Revision]:
        found = {one.revid: one for one in self.by_ids([one.revid for one in revisions])}
        # What was deleted between the two questions is kept as the first answer had it.
        return [found.get(one.revid, one) for one in revisions]

    def by_ids(self, revids: Sequence[int]) -> list[Revision]:
        """With their texts, as far as they are on this page."""
        left = list(revids)
        found: list[Revision] = []
        while left:
            got = self.take(self._conversation.begin(questions.by_ids(left, with_text=self.with_text)))
            found += got.revisions if got.pageid == self.page.pageid else []
            done = {one.revid for one in got.revisions} | set(got.absent)
            # An answer ends at 8 MiB; what did not fit is asked for again.
            left = [number for number in left if number not in done] if got.onward and done else []
        return found

    def take(self, pending: Pending) -> Answered:
        """JSON that is not what the API says is asked for again, like anything that is no answer."""
        answer: Json = self._conversation.answer(pending)
        for attempt in range(1, UNREADABLE_TRIES + 1):
            try:
                return answered(answer)
            except Unreadable as error:
                if attempt == UNREADABLE_TRIES:
                    raise WikiSilent(f"The wiki's answers cannot be read: {error}.") from error
                answer = self._conversation.answer(self._conversation.again(pending))
        raise AssertionError("unreachable")

    def tell(self, number: int) -> None:
        """So many were looked at."""
        self._told(number)

    def _advance(self, number: int) -> None:
        self.read += number
        self._told(self.read)
