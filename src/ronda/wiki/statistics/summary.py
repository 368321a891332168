"""The statistics of a history, or of several together."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from ronda.wiki.statistics.edits import Edit, EditorKind

TOP = 20
MOST_POINTS = 120


@dataclass(frozen=True)
class Editor:
    user: str
    kind: EditorKind
    edits: int
    minor: int
    added_bytes: int
    reverted: int
    first: datetime
    last: datetime


@dataclass(frozen=True)
class Pair:
    """Two people, and how often one edited right after the other."""

    one: str
    other: str
    times: int


@dataclass(frozen=True)
class Quiet:
    seconds: float
    began: datetime
    ended: datetime


@dataclass(frozen=True)
class Revert:
    revid: int
    user: str | None
    at: datetime
    reverted_to: int


@dataclass(frozen=True)
class Summary:
    articles: int
    edits: int
    editors: int
    first: datetime | None
    last: datetime | None
    minor: int
    by_kind: dict[str, int]
    editors_by_kind: dict[str, int]
    by_year: dict[str, int]
    by_month: dict[str, int]
    by_weekday: list[int]
    by_hour: list[int]
    top_by_edits: list[Editor]
    top_by_added: list[Editor]
    share_of_top_tenth: float
    reverts: int
    reverted: int
    latest_reverts: list[Revert]
    mean_gap_seconds: float | None
    median_gap_seconds: float | None
    longest_quiet: Quiet | None
    pairs: list[Pair]
    sizes: list[tuple[datetime, int]]
    size_bytes: int
    added_bytes: int


def summary_of(edits: Sequence[Edit]) -> Summary:
    """`edits` of an article stand together, in order of time."""
    editors = _editors(edits)
    moments = [edit.stored.at for edit in edits]
    gaps = [edit.gap_seconds for edit in edits if edit.gap_seconds is not None]
    ranked = sorted(editors, key=lambda editor: (-editor.edits, editor.user))
    tenth = ranked[: -(-len(ranked) // 10)]
    reverts = [edit for edit in edits if edit.reverts_to is not None]
    return Summary(
        articles=len({(edit.stored.wiki, edit.stored.pageid) for edit in edits}),
        edits=len(edits),
        editors=len(editors),
        first=min(moments, default=None),
        last=max(moments, default=None),
        minor=sum(edit.stored.is_minor for edit in edits),
        by_kind=_counted(edit.kind for edit in edits),
        editors_by_kind=_counted(editor.kind for editor in editors),
        by_year=_filled_years(Counter(moment.year for moment in moments)),
        by_month=_filled_months(Counter((moment.year, moment.month) for moment in moments)),
        by_weekday=_slots(7, (moment.weekday() for moment in moments)),
        by_hour=_slots(24, (moment.hour for moment in moments)),
        top_by_edits=ranked[:TOP],
        top_by_added=sorted(editors, key=lambda editor: (-editor.added_bytes, editor.user))[:TOP],
        share_of_top_tenth=sum(editor.edits for editor in tenth) / len(edits) if edits else 0.0,
        reverts=len(reverts),
        reverted=sum(edit.is_reverted for edit in edits),
        latest_reverts=_latest(reverts),
        mean_gap_seconds=statistics.fmean(gaps) if gaps else None,
        median_gap_seconds=statistics.median(gaps) if gaps else None,
        longest_quiet=_longest_quiet(edits),
        pairs=_pairs(edits),
        sizes=_sizes(edits),
        size_bytes=sum(_last_sizes(edits).values()),
        added_bytes=sum(edit.added_bytes for edit in edits),
    )


def _counted(kinds: Iterable[EditorKind]) -> dict[str, int]:
    found = Counter(kinds)
    return {kind.value: found[kind] for kind in EditorKind}


def _slots(size: int, values: Iterable[int]) -> list[int]:
    found = Counter(values)
    return [found[number] for number in range(size)]


def _filled_years(found: Counter[int]) -> dict[str, int]:
    """Years without an edit as well."""
    return {str(year): found[year] for year in range(min(found), max(found) + 1)} if found else {}


def _filled_months(found: Counter[tuple[int, int]]) -> dict[str, int]:
    if not found:
        return {}
    (year, month), last = min(found), max(found)
    months = {}
    while (year, month) <= last:
        months[f"{year}-{month:02}"] = found[(year, month)]
        year, month = (year, month + 1) if month < 12 else (year + 1, 1)
    return months


def _editors(edits: Sequence[Edit]) -> list[Editor]:
    by_user: dict[str, list[Edit]] = defaultdict(list)
    for edit in edits:
        if edit.stored.user is not None:
            by_user[edit.stored.user].append(edit)
    return [
        Editor(
            user,
            theirs[-1].kind,
            len(theirs),
            sum(edit.stored.is_minor for edit in theirs),
            sum(edit.added_bytes for edit in theirs),
            sum(edit.is_reverted for edit in theirs),
            min(edit.stored.at for edit in theirs),
            max(edit.stored.at for edit in theirs),
        )
        for user, theirs in by_user.items()
    ]


def _latest(reverts: list[Edit]) -> list[Revert]:
    newest = sorted(reverts, key=lambda edit: edit.stored.at, reverse=True)[:TOP]
    return [
        Revert(edit.stored.revid, edit.stored.user, edit.stored.at, edit.reverts_to or 0) for edit in newest
    ]


def _longest_quiet(edits: Sequence[Edit]) -> Quiet | None:
    best: Quiet | None = None
    for before, after in pairwise(edits):
        if after.gap_seconds is not None and (best is None or after.gap_seconds > best.seconds):
            best = Quiet(after.gap_seconds, before.stored.at, after.stored.at)
    return best


def _pairs(edits: Sequence[Edit]) -> list[Pair]:
    found: Counter[tuple[str, str]] = Counter()
    for before, after in pairwise(edits):
        one, other = before.stored.user, after.stored.user
        is_reply = after.gap_seconds is not None  # the first edit of an article follows nobody
        if is_reply and one is not None and other is not None and one != other:
            found[(min(one, other), max(one, other))] += 1
    ranked = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    return [Pair(one, other, times) for (one, other), times in ranked[:TOP]]


def _last_sizes(edits: Sequence[Edit]) -> dict[tuple[str, int], int]:
    return {
        (edit.stored.wiki, edit.stored.pageid): edit.stored.size
        for edit in edits
        if edit.stored.size is not None
    }


def _sizes(edits: Sequence[Edit]) -> list[tuple[datetime, int]]:
    """How large the articles are together, at evenly spaced edits."""
    current: dict[tuple[str, int], int] = {}
    total, points = 0, []
    for edit in sorted(edits, key=lambda each: (each.stored.at, each.stored.revid)):
        if edit.stored.size is None:
            continue
        key = (edit.stored.wiki, edit.stored.pageid)
        total += edit.stored.size - current.get(key, 0)
        current[key] = edit.stored.size
        points.append((edit.stored.at, total))
    step = max(1, -(-len(points) // MOST_POINTS))
    return [*points[step - 1 :: step], *(points[-1:] if len(points) % step else [])]
