"""Ronda's own visits played again: as a trace, through every predictor, and the best is chosen."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.jobs.models import Job
from ronda.prediction.contract import Terms
from ronda.prediction.reading import parse_trace
from ronda.rounds import back_testing, choosing, retrospect, services, tracing, verdicts
from ronda.rounds.models import Source, TrackRecord, Visit
from ronda.rounds.observing import History, Seen, history_of
from ronda.rounds.predictor_names import CANDIDATES, DEFAULT
from ronda.rounds.verdicts import Trial
from tests.people import person_with
from tests.rounds.sources import followed, watched

MONDAY = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.fixture
def ana(db: None) -> Person:
    return person_with(Role.DIRECTOR, Role.SUBSCRIBER)


def daily(changed: str, modified: dict[int, datetime] | None = None) -> History:
    """A look a day; a 1 found a change."""
    times = modified or {}
    return History(
        tuple(
            Seen(MONDAY + timedelta(days=day), mark == "1", times.get(day))
            for day, mark in enumerate(changed)
        )
    )


def test_a_change_lies_between_two_visits() -> None:
    said = MONDAY + timedelta(days=4, hours=20)
    history = daily("0010010", {5: said, 2: MONDAY - timedelta(days=99)})
    rows = list(tracing.changes_of("a", history, {MONDAY: 7}))
    assert [row.at for row in rows] == [MONDAY, MONDAY + timedelta(days=1.5), said]
    assert [row.size_bytes for row in rows] == [7, None, None]


def test_the_simulator_reads_what_is_written(ana: Person) -> None:
    for number in range(3):
        watched(followed(ana, f"https://s{number}.example/"), days=30, changes_every=number + 2)
    changes = list(tracing.changes_of_sources(list(Source.objects.order_by("url"))))
    read = parse_trace(io.StringIO("".join(tracing.as_csv(changes))))
    made = tracing.trace_of(changes)
    assert made is not None
    assert read.names == made.names == tuple(f"https://s{number}.example/" for number in range(3))
    assert read.who.tolist() == made.who.tolist()
    assert read.at == pytest.approx(made.at, abs=1e-3)
    assert read.size_bytes.tolist() == made.size_bytes.tolist()


def test_twins_are_told_apart(ana: Person) -> None:
    for collection in ("cultural", "scientific"):
        watched(followed(ana, collection=collection), days=10, changes_every=2)
    changes = tracing.changes_of_sources(list(Source.objects.order_by("pk")))
    assert len({change.source for change in changes}) == 2


def test_nothing_seen_nothing_written(ana: Person) -> None:
    assert list(tracing.changes_of_sources([followed(ana)])) == []
    assert tracing.trace_of([]) is None
    assert back_testing.trials_of({"a": History()}) == {}


def test_dynamic_against_fixed(ana: Person) -> None:
    source = followed(ana)
    watched(source, days=60, changes_every=2)
    history = history_of(source)
    course = retrospect.course_of_source(source, history)
    assert course is not None
    played = retrospect.play(course, "simple", Terms())
    daily_visits, weekly = (retrospect.beside_fixed(course, history, played, days).fixed for days in (1, 7))
    assert daily_visits.changes == weekly.changes == 30
    assert (daily_visits.lost, daily_visits.visits) == (0, 60)
    assert weekly.lost > 20
    assert weekly.visits == 8
    assert daily_visits.copies_bytes > daily_visits.bytes_stored, (
        "a copy was stored with every needless visit"
    )
    assert played.row.captured + played.row.lost == 30
    assert len(played.marks.captured) == played.row.captured
    assert len(played.marks.found) + len(played.marks.needless) == played.row.visits
    assert str(played.row.visits) in retrospect.beside_fixed(course, history, played, 1).lanes.words


def test_the_document_s_conditions(ana: Person) -> None:
    """At most half of the changes lost, and no more stored than at a fixed frequency."""
    source = followed(ana)
    watched(source, days=60, changes_every=2)
    history = history_of(source)
    course = retrospect.course_of_source(source, history)
    assert course is not None
    good, rare = (
        retrospect.beside_fixed(course, history, retrospect.play(course, name, Terms()), 1)
        for name in ("simple", "fixed:30")
    )
    assert (good.holds_half, good.stores_less) == (True, True)
    assert (rare.holds_half, rare.stores_less) == (False, True)
    assert replace(good, daily=rare.chosen).stores_less is False


def test_what_hardly_changed_is_not_compared(ana: Person) -> None:
    source = followed(ana)
    watched(source, days=10, changes_every=9)
    assert retrospect.course_of_source(source, history_of(source)) is None


@given(st.floats(0, 1), st.floats(0, 1))
def test_worth_is_between_both_and_leans_to_what_is_held(held: float, spared: float) -> None:
    worth = verdicts.worth(held=held, spared=spared)
    assert min(held, spared) - 1e-9 <= worth <= max(held, spared) + 1e-9
    if held > spared:
        assert worth >= verdicts.worth(held=spared, spared=held) - 1e-9


def test_who_is_no_better_is_not_changed_to() -> None:
    usual, other = (Trial(name, 9, 5, 1, 2, 0.9, 0.8) for name in ("usual", "other"))
    assert verdicts.best([other, usual], "usual") == "usual"
    better = Trial("better", 9, 6, 0, 1, 0.9, 0.9)
    assert verdicts.best([other, usual, better], "usual") == "better"
    assert verdicts.best([other], "usual") == "other"


def test_each_source_gets_its_best(ana: Person) -> None:
    lively = followed(ana, "https://lively.example/", predictor="auto")
    rare = followed(ana, "https://rare.example/", predictor="auto")
    watched(lively, days=60, changes_every=1)
    watched(rare, days=120, changes_every=20)
    now = timezone.now()
    assert set(back_testing.due(now)) == {lively, rare}
    back_testing.try_on([lively, rare], now)
    for source in (lively, rare):
        record = TrackRecord.objects.get(pk=source.pk)
        assert {trial["predictor"] for trial in record.back_test} == set(CANDIDATES)
        best = max(record.back_test, key=lambda trial: trial["worth"])
        assert record.best_predictor in (DEFAULT, best["predictor"])
        assert choosing.predictor_of(source).name == record.best_predictor
    assert not back_testing.due(now).exists(), "once a month is enough"
    assert back_testing.due(now + timedelta(days=31)).count() == 2


def test_only_who_left_it_to_ronda(ana: Person) -> None:
    source = followed(ana, topic=301)
    watched(source, days=60, changes_every=2)
    now = timezone.now()
    assert not back_testing.due(now).exists()
    choosing.choose_for_collection(actor=ana, slug="cultural", predictor="auto")
    assert back_testing.due(now).exists()
    choosing.choose_for_topic(actor=ana, code=301, predictor="simple")
    assert not back_testing.due(now).exists()
    choosing.choose_for_topic(actor=ana, code=301, predictor="auto")
    assert back_testing.due(now).exists()
    services.edit(actor=ana, source_id=source.pk, changes={"predictor": "nutch"})
    assert not back_testing.due(now).exists()


def test_one_job_at_a_time(ana: Person) -> None:
    back_testing.start_due()
    assert not Job.objects.exists()
    source = followed(ana, predictor="auto")
    watched(source, days=60, changes_every=2)
    back_testing.start_due()
    back_testing.start_due()
    assert Job.objects.filter(kind=back_testing.KIND).count() == 1
    assert Visit.objects.exists()
