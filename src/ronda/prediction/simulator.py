"""A predictor goes through a course: it is told what its own looks find, and nothing else.

Three ways. On its own clock (no budget, sources that do not learn from each other): the next visit of every source at
once, round by round. By ticks (no budget, `learns_across`): what is due at a tick is visited then. By budget: at each
tick what has accumulated goes to the most urgent, each source at most once; what a predictor would rather not spend
now is saved, a week's worth at most.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ronda.prediction.calibration import Calibration
from ronda.prediction.contract import DAY, HOUR, Bools, Fleet, Floats, Ints, Looks, Predictor
from ronda.prediction.traces import Course

# No rule may come back sooner, or a simulation would never end.
SHORTEST_SECONDS = 60.0
# How many days' visits may be saved for better times; a week has all its days in it.
SAVED_DAYS = 7


@dataclass(frozen=True)
class Way:
    """How the simulator goes: `visits_per_day` a source (none: as often as the predictor wishes), ticks of
    `step_seconds`, whether sources say when they last changed, whether every visit is kept."""

    visits_per_day: float | None = None
    step_seconds: float = HOUR
    tells_modified: bool = False
    keeps_visits: bool = False


@dataclass(frozen=True)
class Visits:
    """Every visit, in the order of time."""

    who: Ints
    at: Floats
    changed: Bools


@dataclass(frozen=True)
class Run:
    """What came of it: `seen_at` when the first look after each row of the course was (never: infinite)."""

    seen_at: Floats
    visits: Ints
    finds: Ints
    calibration: Calibration
    log: Visits | None


def run(course: Course, predictor: Predictor, way: Way | None = None) -> Run:
    way = way or Way()
    web = _Web(course, predictor, way)
    size = len(course.began)
    predictor.begin(Fleet(course.began.copy(), course.related.copy(), np.ones(size)))
    if way.visits_per_day is not None:
        _by_budget(web, way.visits_per_day)
    elif predictor.learns_across:
        _by_ticks(web)
    else:
        _by_own_clocks(web)
    return web.ended()


class _Web:
    """The changing web that a predictor looks at, and the record of its looks."""

    def __init__(self, course: Course, predictor: Predictor, way: Way) -> None:
        self.course = course
        self.predictor = predictor
        self.way = way
        self.held = course.first.copy()
        self.seen_at = np.full(len(course.at), np.inf)
        self.seen_at[course.first] = course.began
        self.visits = np.zeros(len(course.began), dtype=np.int64)
        self.finds = np.zeros(len(course.began), dtype=np.int64)
        self.calibration = Calibration()
        self.log: list[Looks] = []

    def visit(self, who: Ints, at: Floats) -> Looks:
        chance = self.predictor.chance(who, at)
        looks = self._look(who, at)
        self.visits[who] += 1
        self.finds[who] += looks.changed
        self.calibration.add(chance, looks.changed)
        if self.way.keeps_visits:
            self.log.append(looks)
        self.predictor.look(looks)
        return looks

    def _look(self, who: Ints, at: Floats) -> Looks:
        course = self.course
        before = self.held[who]
        now = before.copy()
        behind = np.flatnonzero(course.next_at[now] <= at)
        while behind.size:
            now[behind] += 1
            self.seen_at[now[behind]] = at[behind]
            behind = behind[course.next_at[now[behind]] <= at[behind]]
        self.held[who] = now
        # A page that went back to what it was looks unchanged to who did not come in between.
        changed = course.content[now] != course.content[before]
        modified_at = course.at[now] if self.way.tells_modified else np.full(len(who), np.nan)
        return Looks(who, at, changed, modified_at)

    def ended(self) -> Run:
        return Run(self.seen_at, self.visits, self.finds, self.calibration, self._kept_visits())

    def _kept_visits(self) -> Visits | None:
        if not self.way.keeps_visits:
            return None
        who = np.concatenate([looks.who for looks in self.log] or [np.empty(0, dtype=np.int64)])
        at = np.concatenate([looks.at for looks in self.log] or [np.empty(0)])
        changed = np.concatenate([looks.changed for looks in self.log] or [np.empty(0, dtype=np.bool_)])
        order = np.argsort(at, kind="stable")
        return Visits(who[order], at[order], changed[order])


def _by_own_clocks(web: _Web) -> None:
    course, predictor = web.course, web.predictor
    going: Ints = np.arange(len(course.began))
    clock, last = course.began.copy(), course.began.copy()
    notices = _NoticesPerSource(course)
    while going.size:
        due = np.maximum(predictor.next_visit(going, clock[going]), last[going] + SHORTEST_SECONDS)
        is_told = notices.next_at[going] <= np.minimum(due, course.end)
        if is_told.any():
            # Who hears something thinks again before going.
            told = going[is_told]
            clock[told] = notices.next_at[told]
            predictor.notice(told, clock[told])
            notices.pass_on(told)
        is_going = ~is_told & (due <= course.end)
        if is_going.any():
            who = going[is_going]
            clock[who] = last[who] = due[is_going]
            web.visit(who, due[is_going])
        going = going[is_told | is_going]


class _NoticesPerSource:
    """The next notice about every source."""

    def __init__(self, course: Course) -> None:
        order = np.lexsort((course.told_at, course.told_who))
        who, at = course.told_who[order], course.told_at[order]
        self._at = np.append(at, np.inf)
        numbers = np.arange(len(course.began))
        self._position = np.searchsorted(who, numbers)
        self._end = np.searchsorted(who, numbers, side="right")
        self.next_at = np.full(len(numbers), np.inf)
        self._look_up(numbers)

    def pass_on(self, who: Ints) -> None:
        self._position[who] += 1
        self._look_up(who)

    def _look_up(self, who: Ints) -> None:
        position = self._position[who]
        self.next_at[who] = np.where(position < self._end[who], self._at[position], np.inf)


def _by_ticks(web: _Web) -> None:
    course, predictor = web.course, web.predictor
    due = np.full(len(course.began), np.inf)
    is_waiting = np.ones(len(due), dtype=np.bool_)
    for tick, told in _ticks(web):
        begun = np.flatnonzero(is_waiting & (course.began < tick))
        is_waiting[begun] = False
        if begun.size:
            due[begun] = predictor.next_visit(begun, tick)
        who = np.flatnonzero(due <= tick)
        moved = course.related[told]
        if who.size:
            looks = web.visit(who, np.full(len(who), tick))
            moved = np.concatenate([moved, course.related[who[looks.changed]]])
        if moved.size:
            who = np.union1d(who, np.flatnonzero(np.isin(course.related, moved) & ~is_waiting))
        if who.size:
            due[who] = np.maximum(predictor.next_visit(who, tick), tick + SHORTEST_SECONDS)


def _by_budget(web: _Web, visits_per_day: float) -> None:
    course, predictor = web.course, web.predictor
    per_tick = visits_per_day * web.way.step_seconds / DAY
    began = np.sort(course.began)
    budget = 0.0
    for tick, _ in _ticks(web):
        active = int(np.searchsorted(began, tick, side="left"))
        budget += per_tick * active
        count = int(budget + 1e-9)
        if count:
            who = _most_urgent(predictor.urgency(tick), course.began < tick, count)
            if who.size:
                web.visit(who, np.full(len(who), tick))
            budget = min(budget - len(who), max(1.0, SAVED_DAYS * visits_per_day * active))


def _most_urgent(urgency: Floats, is_active: Bools, count: int) -> Ints:
    """At most so many of those that may be visited now."""
    willing = np.flatnonzero(is_active & (urgency > -np.inf))
    if count >= len(willing):
        return willing
    chosen: Ints = willing[np.argpartition(urgency[willing], len(willing) - count)[-count:]]
    return np.sort(chosen)


def _ticks(web: _Web) -> Iterator[tuple[float, Ints]]:
    """Every tick with the sources of which somebody told since the one before; the predictor has been told, too."""
    course, step = web.course, web.way.step_seconds
    heard = 0
    for number in range(1, int((course.end - course.start) / step) + 1):
        tick = course.start + number * step
        upto = int(np.searchsorted(course.told_at, tick, side="right"))
        told = course.told_who[heard:upto]
        for one in _each_once(told):
            web.predictor.notice(told[one], course.told_at[heard:upto][one])
        heard = upto
        yield tick, told


def _each_once(who: Ints) -> Iterator[Ints]:
    """Positions, in as few goes as it takes that no source comes twice in one."""
    left = np.arange(len(who))
    while left.size:
        _, first = np.unique(who[left], return_index=True)
        yield left[np.sort(first)]
        left = np.delete(left, first)
