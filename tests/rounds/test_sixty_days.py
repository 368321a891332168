"""Sixty days of the demo web, looked at by Ronda when Ronda wants to: what it kept, beside what truly happened.

Every visit is made in earnest: leased, fetched over HTTP, uploaded, archived, compared. Only the clocks are ours. The
demo knows what changed when, how much it mattered, and what every page shows at any moment, to the sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise

import numpy as np
import pytest

from ronda.demo import DemoClock, DemoServer, DemoWorld
from ronda.demo.schedule import Change
from ronda.demo.structure import HOME
from ronda.demo.timeline import PageState
from ronda.demo.world import STORIES_ON_FRONT
from ronda.prediction.comparison import enter
from ronda.prediction.contract import Terms
from ronda.prediction.simulator import Way
from ronda.prediction.traces import Course, course_of, trace_of
from ronda.rounds.models import Scope, Source
from tests.rounds.at_hand import Rounds
from tests.rounds.at_speed import AtSpeed

DAYS = 60
REGULAR = ("litoral", "mareas", "slow-train", "maproom")
NOISY = ("delta", "cumbres", "northfield", "lamps", "ceramica")
SILENT = ("rivers", "attic-radio", "ceramica")
SITES = sorted({*REGULAR, *NOISY, *SILENT})
# Who reads a page sees at once that this much of it is another.
IMPORTANT = 0.1
NOISE_IS_LEARNT = timedelta(days=5)


@pytest.fixture
def at_speed(rounds: Rounds, clock: DemoClock, monkeypatch: pytest.MonkeyPatch) -> AtSpeed:
    return AtSpeed(rounds, clock, monkeypatch)


def test_what_matters_is_kept_and_noise_is_not(
    at_speed: AtSpeed, world: DemoWorld, clock: DemoClock, demo: DemoServer
) -> None:
    began = clock.now()
    sources = {name: at_speed.follow(demo.base_url(name), scope=Scope.PAGE) for name in SITES}
    at_speed.run(DAYS)

    shown = {name: _shown(world, name, source) for name, source in sources.items()}
    for name in SITES:
        learnt_at = began + NOISE_IS_LEARNT if name in NOISY else began
        assert _repeated(shown[name], learnt_at) == [], (
            f"{name}: versions that show what the one before showed"
        )
    for name in SILENT:
        visits = sources[name].visits.filter(opened_at__gt=clock.now() - timedelta(days=DAYS / 2)).count()
        assert visits <= 4, f"{name} says nothing, and is left alone more and more"
    important = [
        (name, change)
        for name in REGULAR
        for change in _front_changes(world, name, began, clock.now())
        if change.importance >= IMPORTANT and not change.is_return
    ]
    lost = [(name, change) for name, change in important if not _is_kept(world, name, change, shown[name])]
    assert len(lost) <= 0.05 * len(important), lost


def test_as_many_visits_as_simple_keep_more_and_fewer_find_nothing(
    world: DemoWorld, clock: DemoClock
) -> None:
    course = _course(world, clock.now())
    simple = enter(course, "simple", way=Way(), terms=Terms()).score
    budget = simple.visits / (DAYS * len(world.sites))
    ronda = enter(course, "ronda", way=Way(visits_per_day=budget), terms=Terms()).score
    assert ronda.visits <= simple.visits
    assert ronda.missed < simple.missed
    assert ronda.needless < simple.needless


def _front_changes(world: DemoWorld, name: str, since: datetime, until: datetime) -> list[Change]:
    return [change for change in world.changes(name, since, until) if change.path == HOME]


def _shown(world: DemoWorld, name: str, source: Source) -> list[tuple[datetime, PageState]]:
    """What each version holds, by the moment it was fetched."""
    moments = source.versions.order_by("number").values_list("started_at", flat=True)
    return [(at, world.snapshot(name, HOME, at).state) for at in moments]


def _repeated(shown: Sequence[tuple[datetime, PageState]], since: datetime) -> list[datetime]:
    return [at for (_, before), (at, after) in pairwise(shown) if before == after and at > since]


def _is_kept(
    world: DemoWorld, name: str, change: Change, shown: Sequence[tuple[datetime, PageState]]
) -> bool:
    """Whether one version shows what the change brought: most of its words, if others came after it."""
    after = world.snapshot(name, HOME, change.at).state
    before = world.snapshot(name, HOME, change.at - timedelta(seconds=1)).state
    return any(at >= change.at and _shows(state, before, after) for at, state in shown)


def _shows(state: PageState, before: PageState, after: PageState) -> bool:
    is_on_front = after.stories == before.stories or 0 <= state.stories - after.stories < STORIES_ON_FRONT
    sentences = zip(before.sentences, after.sentences, state.sentences, strict=True)
    written = [now == new for old, new, now in sentences if new != old]
    return (
        is_on_front
        and (after.form == before.form or state.form == after.form)
        and (after.view == before.view or state.view == after.view)
        and 2 * sum(written) >= len(written)
    )


def _course(world: DemoWorld, began: datetime) -> Course:
    """What truly happened on the front pages of the whole demo web."""
    until = began + timedelta(days=DAYS)
    rows = [
        (number, moment.timestamp())
        for number, site in enumerate(world.sites)
        for moment in (began, *(change.at for change in _front_changes(world, site.name, began, until)))
    ]
    names = tuple(f"{site.name}/" for site in world.sites)
    trace = trace_of(names, np.array([who for who, _ in rows]), np.array([at for _, at in rows]))
    return course_of(trace, began.timestamp(), until.timestamp())
