"""Edits, as the statistics see them: with what they added, and what became of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import groupby
from typing import NamedTuple

import mwreverts

# An identity revert brings back a text of one of the last so many revisions (as mwreverts and its papers have it).
RADIUS = 15
# MediaWiki's histories do not say who is a bot; by custom, and on Wikipedia by rule, its name does.
_BOT = re.compile(r"bot\b|bot[ _\d]*$", re.IGNORECASE)


class Stored(NamedTuple):
    """A revision as the lake has it, in the order of sql/edits.sql."""

    wiki: str
    pageid: int
    revid: int
    parentid: int
    user: str | None
    userid: int | None
    at: datetime
    size: int | None
    sha1: str | None
    is_minor: bool


class EditorKind(StrEnum):
    REGISTERED = "registered"
    ANONYMOUS = "anonymous"
    BOT = "bot"
    HIDDEN = "hidden"


@dataclass(frozen=True)
class Edit:
    """`delta_bytes`: against its parent; None where one of the sizes is hidden. `reverts_to`: what it brought back."""

    stored: Stored
    kind: EditorKind
    delta_bytes: int | None
    gap_seconds: float | None
    reverts_to: int | None
    is_reverted: bool

    @property
    def added_bytes(self) -> int:
        """Text that stayed: what was reverted, and what a revert brings back, is nobody's addition."""
        if self.is_reverted or self.reverts_to is not None:
            return 0
        return max(0, self.delta_bytes or 0)


def kind_of(user: str | None, userid: int | None) -> EditorKind:
    if user is None:
        return EditorKind.HIDDEN
    if _BOT.search(user):
        return EditorKind.BOT
    # An imported author (`prefix>Name`) has no id here, and an account elsewhere.
    return EditorKind.REGISTERED if userid or ">" in user else EditorKind.ANONYMOUS


def edits_of(rows: Iterable[Stored]) -> list[Edit]:
    """`rows` are sorted by article, then by time and id."""
    found: list[Edit] = []
    for _article, history in groupby(rows, key=lambda row: (row.wiki, row.pageid)):
        found.extend(_of_one(list(history)))
    return found


def _of_one(history: list[Stored]) -> Iterator[Edit]:
    sizes = {row.revid: row.size for row in history}
    brought_back, undone = _reverts(history)
    before: Stored | None = None
    for row in history:
        old = 0 if row.parentid == 0 else sizes.get(row.parentid, before.size if before else None)
        yield Edit(
            row,
            kind_of(row.user, row.userid),
            None if row.size is None or old is None else row.size - old,
            (row.at - before.at).total_seconds() if before else None,
            brought_back.get(row.revid),
            row.revid in undone,
        )
        before = row


def _reverts(history: list[Stored]) -> tuple[dict[int, int], set[int]]:
    """Reverting revision → the one it brought back; and all that was undone."""
    detector = mwreverts.Detector(radius=RADIUS)
    brought_back: dict[int, int] = {}
    undone: set[int] = set()
    for row in history:
        if row.sha1 is None:
            continue
        revert = detector.process(row.sha1, row.revid)
        if revert is not None:
            brought_back[revert.reverting] = revert.reverted_to
            undone.update(revert.reverteds)
    return brought_back, undone
