"""Two texts line by line, and the words that changed within a line. Nothing is lost: both sides can be read off it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import TypeVar

from ronda.change.matching import Match, matches

# Lines are told to be one that was rewritten, rather than one gone and another come, from this likeness on.
REWRITTEN_FROM = 0.35
# Pairs of lines looked at in one gap; beyond it they are paired as they stand.
MOST_PAIRS = 2_500
# Words of a line compared one by one; a longer line is shown as replaced.
MOST_WORDS = 5_000
WORD_STEPS = 60_000

_WORDS = re.compile(r"\w+|\s+|[^\w\s]")


class Kind(StrEnum):
    SAME = "same"
    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


_TURNED = {Kind.ADDED: Kind.REMOVED, Kind.REMOVED: Kind.ADDED}


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of words of a changed line."""

    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class Row:
    """A line on either side, or on one. `pieces`: of a changed line."""

    kind: Kind
    before: str | None
    after: str | None
    pieces: tuple[Piece, ...] = ()


_T = TypeVar("_T", Row, Piece)


def compare_lines(before: Sequence[str], after: Sequence[str]) -> tuple[Row, ...]:
    """Comparing the other way round gives the same rows, turned."""
    if list(before) > list(after):
        return tuple(_removed_first([_turned(row) for row in _rows(after, before)]))
    return tuple(_rows(before, after))


def share_of_change(rows: Sequence[Row]) -> float:
    """From 0 (the same) to 1 (nothing in common), by characters; the end of a line is one."""
    total = sum(len(side) + 1 for row in rows for side in (row.before, row.after) if side is not None)
    return 1 - 2 * sum(_common(row) for row in rows) / total if total else 0.0


def _common(row: Row) -> int:
    if row.kind == Kind.SAME:
        return len(row.before or "") + 1
    return sum(len(piece.text) for piece in row.pieces if piece.kind == Kind.SAME)


def _turned(row: Row) -> Row:
    pieces = [Piece(_TURNED.get(piece.kind, piece.kind), piece.text) for piece in row.pieces]
    return Row(_TURNED.get(row.kind, row.kind), row.after, row.before, tuple(_removed_first(pieces)))


def _removed_first(items: list[_T]) -> list[_T]:
    """Where something gave way to something else, what is gone comes first."""
    found: list[_T] = []
    for _is_one_sided, run in groupby(items, key=lambda item: item.kind in _TURNED):
        # What is on both sides keeps its order: sorting is stable.
        found += sorted(run, key=lambda item: item.kind == Kind.ADDED)
    return found


def _rows(before: Sequence[str], after: Sequence[str]) -> list[Row]:
    rows: list[Row] = []
    i = j = 0
    for match in [*matches(before, after), Match(len(before), len(after), 0)]:
        rows += _gap(before[i : match.before], after[j : match.after])
        i, j = match.before + match.size, match.after + match.size
        rows += [Row(Kind.SAME, line, line) for line in before[match.before : i]]
    return rows


def _gap(before: Sequence[str], after: Sequence[str]) -> list[Row]:
    rows: list[Row] = []
    i = j = 0
    for at_before, at_after in [*_rewritten(before, after), (len(before), len(after))]:
        rows += [Row(Kind.REMOVED, line, None) for line in before[i:at_before]]
        rows += [Row(Kind.ADDED, None, line) for line in after[j:at_after]]
        if at_before < len(before):
            old, new = before[at_before], after[at_after]
            rows.append(Row(Kind.CHANGED, old, new, compare_words(old, new)))
        i, j = at_before + 1, at_after + 1
    return rows


def _rewritten(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int]]:
    """Which lines are the same one rewritten: the pairing in order that keeps most words."""
    if not before or not after:
        return []
    bags = [Counter(_bag(line)) for line in before], [Counter(_bag(line)) for line in after]
    if len(before) * len(after) > MOST_PAIRS:
        together = zip(bags[0], bags[1], strict=False)
        return [(n, n) for n, (old, new) in enumerate(together) if _likeness(old, new) >= REWRITTEN_FROM]
    likeness = [[_likeness(old, new) for new in bags[1]] for old in bags[0]]
    best = [[0.0] * (len(after) + 1) for _ in range(len(before) + 1)]
    for i in range(len(before) - 1, -1, -1):
        for j in range(len(after) - 1, -1, -1):
            here = likeness[i][j]
            paired = here + best[i + 1][j + 1] if here >= REWRITTEN_FROM else 0.0
            best[i][j] = max(paired, best[i + 1][j], best[i][j + 1])
    return _chosen(best, likeness)


def _chosen(best: list[list[float]], likeness: list[list[float]]) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    i = j = 0
    while i < len(likeness) and j < len(likeness[0]) and best[i][j]:
        here = likeness[i][j]
        if here >= REWRITTEN_FROM and best[i][j] == here + best[i + 1][j + 1]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _bag(line: str) -> list[str]:
    return [word for word in _WORDS.findall(line[:4000]) if not word.isspace()]


def _likeness(old: Counter[str], new: Counter[str]) -> float:
    total = old.total() + new.total()
    return 2 * (old & new).total() / total if total else 0.0


def compare_words(before: str, after: str) -> tuple[Piece, ...]:
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    if max(len(old), len(new)) > MOST_WORDS:
        return _pieces((Kind.REMOVED, before), (Kind.ADDED, after))
    found: list[tuple[Kind, str]] = []
    i = j = 0
    for match in [*_worth_keeping(matches(old, new, WORD_STEPS), old, new), Match(len(old), len(new), 0)]:
        found.append((Kind.REMOVED, "".join(old[i : match.before])))
        found.append((Kind.ADDED, "".join(new[j : match.after])))
        i, j = match.before + match.size, match.after + match.size
        found.append((Kind.SAME, "".join(old[match.before : i])))
    return _pieces(*found)


def _worth_keeping(found: list[Match], old: list[str], new: list[str]) -> list[Match]:
    """Words that changed together read better in one piece than with the blank between them kept."""
    ends = len(old), len(new)
    return [
        match
        for match in found
        if match.before == match.after == 0
        or (match.before + match.size, match.after + match.size) == ends
        or not "".join(old[match.before : match.before + match.size]).isspace()
    ]


def _pieces(*found: tuple[Kind, str]) -> tuple[Piece, ...]:
    return tuple(Piece(kind, text) for kind, text in found if text)
