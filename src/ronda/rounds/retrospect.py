"""What another way to visit would have come to with one source's own history: the comparison, the timeline, what if."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from ronda.prediction import catalogue
from ronda.prediction.contract import Terms
from ronda.prediction.simulator import Way, run
from ronda.prediction.traces import Course, course_of
from ronda.rounds import comparing, tracing
from ronda.rounds.comparing import Marks, Row
from ronda.rounds.models import Source
from ronda.rounds.observing import History

# With fewer changes than that there is nothing to compare.
LEAST_CHANGES = 2


@dataclass(frozen=True)
class Lanes:
    """A timeline: `lanes` have a name and marks by kind; `words` say it to who does not see it."""

    began: float
    end: float
    lanes: Sequence[tuple[str, Mapping[str, Sequence[float]]]]
    words: str


@dataclass(frozen=True)
class Retrospect:
    """`chosen`: the predictor asked about; `fixed`: every so many days, as the slider says; `daily`: every day."""

    chosen: Row
    fixed: Row
    daily: Row
    lanes: Lanes

    @property
    def holds_half(self) -> bool:
        """The document's first condition: at most half of the changes are lost."""
        return self.chosen.lost <= self.chosen.changes / 2

    @property
    def stores_less(self) -> bool:
        """Its second: no more is stored than by a visit a day that keeps every copy; unknown sizes are no objection."""
        return (self.chosen.bytes_stored or 0) <= (self.daily.copies_bytes or 0)


def course_of_source(source: Source, history: History) -> Course | None:
    """From its first visit to its last; none if it was hardly seen to change."""
    if len(history.changes) < LEAST_CHANGES:
        return None
    trace = tracing.trace_of(tracing.changes_of(source.url, history, tracing.sizes_of(source)))
    return course_of(trace, end=history.looks[-1].at.timestamp()) if trace else None


@dataclass(frozen=True)
class Played:
    """A predictor that went through a source's history: what came of it, and when it would have visited."""

    row: Row
    marks: Marks


def play(course: Course, predictor: str, terms: Terms) -> Played:
    """The part that takes long: seconds for years of history."""
    done = run(course, catalogue.make(predictor, terms), Way(keeps_visits=True))
    return Played(comparing.row_of(predictor, course, done), comparing.marks_of(course, done))


def beside_fixed(course: Course, history: History, played: Played, days: int) -> Retrospect:
    fixed, daily = comparing.rows_of(course, [f"fixed:{days}", "fixed:1"], Terms(), Way())
    return Retrospect(played.row, fixed, daily, _lanes(history, played.marks))


def _lanes(history: History, marks: Marks) -> Lanes:
    looks = [(look.at.timestamp(), look.is_changed) for look in history.looks]
    real = {
        "needless": [at for at, is_changed in looks if not is_changed],
        "found": [at for at, is_changed in looks if is_changed],
    }
    told = [at.timestamp() for at in history.signals]
    return Lanes(
        began=marks.began,
        end=marks.end,
        lanes=[
            (_("visits made"), {**real, "told": told}),
            (_("changes"), {"captured": marks.captured, "lost": marks.lost}),
            (_("as predicted"), {"needless": marks.needless, "found": marks.found}),
        ],
        words=_(
            "%(changes)d changes, %(lost)d of them lost; %(visits)d visits, %(needless)d of them needless"
        )
        % {
            "changes": len(marks.captured) + len(marks.lost),
            "lost": len(marks.lost),
            "visits": len(marks.found) + len(marks.needless),
            "needless": len(marks.needless),
        },
    )
