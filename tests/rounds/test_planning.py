"""Predictors in the loop: who is asked, what they say, and what is kept of it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone, translation

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.archive.collections import make_collection
from ronda.errors import Forbidden, InvalidInput
from ronda.policies.services import change_setting
from ronda.rounds import choosing, observing, planning, reasons, services
from ronda.rounds.choosing import ChosenBy
from ronda.rounds.models import Source, TrackRecord, Visit, VisitOutcome, VisitState
from ronda.rounds.predictor_names import DEFAULT
from tests.people import person_with
from tests.rounds.sources import followed, visited, watched


@pytest.fixture
def ana(db: None) -> Person:
    return person_with(Role.DIRECTOR, Role.SUBSCRIBER)


def ended(source: Source, outcome: VisitOutcome = VisitOutcome.UNCHANGED) -> Source:
    """Another visit has just ended."""
    visit = visited(source, outcome)
    planning.plan_next(visit, outcome)
    source.refresh_from_db()
    return source


def test_often_changing_is_visited_sooner(ana: Person) -> None:
    often, seldom = followed(ana, "https://often.example/"), followed(ana, "https://seldom.example/")
    watched(often, days=60, changes_every=1)
    watched(seldom, days=60, changes_every=30)
    for source in (often, seldom):
        ended(source)
        assert source.next_visit_at > timezone.now()
        assert reasons.in_english(source.next_visit_because, source.next_visit_values)
    assert often.next_visit_at < seldom.next_visit_at


def test_the_document_s_rule_in_the_loop(ana: Person) -> None:
    source = followed(ana, predictor="simple")
    start = timezone.now() - timedelta(days=40)
    visited(source, VisitOutcome.CAPTURED, start)
    for days in (1, 3, 6):
        visited(source, VisitOutcome.UNCHANGED, start + timedelta(days=days))
    visit = Visit.objects.filter(source=source).latest("opened_at")
    planning.plan_next(visit, VisitOutcome.UNCHANGED)
    source.refresh_from_db()
    assert source.auto_seconds == pytest.approx(4 * 86400, abs=5), (
        "24 h, and 24 h more for each look that found nothing"
    )
    assert source.next_visit_chance is None, "this rule knows no chances"


def test_a_fixed_interval_stays_but_has_a_chance(ana: Person) -> None:
    source = followed(ana, every_seconds=7200, predictor="cho_irregular")
    watched(source, days=30, changes_every=2)
    ended(source)
    assert source.next_visit_at == source.visited_at + timedelta(hours=2)
    assert 0 < source.next_visit_chance < 0.2


def test_a_visit_has_its_price(ana: Person) -> None:
    waits = []
    for price in ("0.02", "0.3"):
        change_setting(actor=ana, name="visit_price", value=price)
        source = followed(ana, f"https://price{price}.example/")
        watched(source, days=40, changes_every=4)
        waits.append(ended(source).auto_seconds)
    assert waits[0] < waits[1]


def test_down_says_nothing_about_changes(ana: Person) -> None:
    source = followed(ana, predictor="simple")
    watched(source, days=10, changes_every=20)
    before = TrackRecord.objects.get(pk=source.pk).visits
    ended(source, VisitOutcome.DOWN)
    assert source.failed_visits == 1
    assert TrackRecord.objects.get(pk=source.pk).visits == before


def test_the_track_record(ana: Person) -> None:
    source = followed(ana)
    watched(source, days=20, changes_every=2)
    record = TrackRecord.objects.get(pk=source.pk)
    assert (record.visits, record.changes, record.needless) == (21, 10, 10)
    assert record.observed_days == 20
    assert record.frequency == pytest.approx(0.5)
    assert (record.group, record.behaviour) == ("medium", "steady")
    assert (record.bytes_stored, record.bytes_saved) == (11 * 40_000, 11 * 20_000)
    assert 2 < record.lost < 8, (
        "something changing every other day by chance would have changed twice some days"
    )


def test_who_chooses_the_predictor(ana: Person) -> None:
    make_collection(actor=ana, slug="press", name="Press")
    source = followed(ana, collection="press", topic=301)

    def chosen() -> tuple[str, ChosenBy]:
        found = choosing.predictor_of(Source.objects.get(pk=source.pk))
        return found.name, found.by

    assert chosen() == (DEFAULT, ChosenBy.SETTINGS)
    change_setting(actor=ana, name="default_predictor", value="nutch")
    assert chosen() == ("nutch", ChosenBy.SETTINGS)
    choosing.choose_for_collection(actor=ana, slug="press", predictor="simple")
    assert chosen() == ("simple", ChosenBy.COLLECTION)
    choosing.choose_for_topic(actor=ana, code=301, predictor="fixed:7")
    assert chosen() == ("fixed:7", ChosenBy.TOPIC)
    services.edit(actor=ana, source_id=source.pk, changes={"predictor": "auto"})
    assert chosen() == (DEFAULT, ChosenBy.SOURCE), "until it was tried on its history"
    TrackRecord.objects.create(source=source, best_predictor="greedy")
    assert chosen() == ("greedy", ChosenBy.SOURCE)
    choosing.choose_for_topic(actor=ana, code=301, predictor="")
    services.edit(actor=ana, source_id=source.pk, changes={"predictor": ""})
    assert chosen() == ("simple", ChosenBy.COLLECTION)


@pytest.mark.parametrize("name", ["nobody", "fixed:x", "fixed:-1"])
def test_no_such_predictor(ana: Person, name: str) -> None:
    source = followed(ana)
    with pytest.raises(InvalidInput) as refusal:
        services.edit(actor=ana, source_id=source.pk, changes={"predictor": name})
    assert refusal.value.field == "predictor"
    with pytest.raises(InvalidInput):
        choosing.choose_for_topic(actor=ana, code=301, predictor=name)


def test_others_choose_nothing_for_a_collection(ana: Person) -> None:
    with pytest.raises(Forbidden):
        choosing.choose_for_collection(
            actor=person_with(Role.SUBSCRIBER, email="b@example.org"), slug="cultural", predictor="simple"
        )


def test_another_predictor_plans_anew(ana: Person) -> None:
    source = followed(ana, predictor="fixed:20")
    watched(source, days=20, changes_every=2)
    ended(source)
    assert source.next_visit_at > timezone.now() + timedelta(days=19)
    changed = services.edit(actor=ana, source_id=source.pk, changes={"predictor": "fixed:2"})
    assert timedelta(days=1) < changed.next_visit_at - timezone.now() <= timedelta(days=2)


def test_what_a_paused_source_says(ana: Person) -> None:
    source = followed(ana, predictor="cho_irregular")
    watched(source, days=20, changes_every=2)
    ended(source)
    assert source.next_visit_chance is not None
    paused = services.pause(actor=ana, source_id=source.pk)
    assert (paused.next_visit_at, paused.next_visit_chance, paused.next_visit_values) == (None, None, {})


@pytest.mark.parametrize("predictor", ["simple", "cho_irregular", "daytype"])
def test_the_sentence_is_said_in_the_reader_s_language(ana: Person, predictor: str) -> None:
    source = followed(ana, predictor=predictor)
    watched(source, days=30, changes_every=3)
    ended(source)
    english = reasons.in_english(source.next_visit_because, source.next_visit_values)
    with translation.override("es"):
        spanish = reasons.in_words(source.next_visit_because, source.next_visit_values)
        assert reasons.in_english(source.next_visit_because, source.next_visit_values) == english
    assert spanish != english
    assert "%(" not in spanish + english


def test_the_latest_visits_are_read(ana: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    source = followed(ana)
    watched(source, days=30, changes_every=3)
    visited(source, VisitOutcome.DOWN)
    Visit.objects.create(source=source, cause="schedule", state=VisitState.PROBING)
    history = observing.history_of(source)
    assert len(history.looks) == 31
    assert not history.looks[0].is_changed, "there was nothing to compare with"
    assert len(history.changes) == 10
    short = observing.history_of(source, 8)
    assert len(short.looks) == 8
    assert short.looks[-1] == history.looks[-1]
