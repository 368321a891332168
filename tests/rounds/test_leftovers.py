"""What is forgotten is gone with all that shows the same, also what no version has; and files say so."""

from __future__ import annotations

from datetime import timedelta

import pytest

from ronda.archive.file_jobs import REINDEX
from ronda.archive.models import Capture
from ronda.archive.queries import visible_captures
from ronda.demo import DemoClock, DemoServer
from ronda.rounds import leftovers, services, steps, versions, visiting
from ronda.rounds.models import Removal, Source, Visit
from tests.archive.filling import whole_index
from tests.archive.test_verifying import result_of
from tests.rounds.at_hand import Rounds


@pytest.fixture
def source(rounds: Rounds, demo: DemoServer) -> Source:
    return rounds.follow(demo.base_url("boreal"), scope="prefix", max_pages=6)


def asked(rounds: Rounds, source: Source) -> Visit:
    visiting.ask_for_visit(actor=rounds.person, source_id=source.pk)
    return rounds.finish(source)


def cancelled(rounds: Rounds, source: Source, blocks: int = 3) -> Visit:
    """After some of its pages came."""
    visit = visiting.ask_for_visit(actor=rounds.person, source_id=source.pk)
    for _ in range(blocks):
        steps.go_on(visit.pk)
        rounds.work()
    assert Capture.objects.filter(visit=visit.pk).exists()
    visiting.cancel_visit(actor=rounds.person, source_id=source.pk)
    return rounds.finish(source)


def shown(rounds: Rounds) -> set[int | None]:
    return set(visible_captures(rounds.person).values_list("visit", flat=True))


def assert_files_say_so() -> None:
    before = whole_index()
    result_of(REINDEX)
    assert whole_index() == before


def test_asked_visit_that_finds_nothing_new_leaves_no_captures(rounds: Rounds, source: Source) -> None:
    first = rounds.visit(source)
    again = asked(rounds, source)
    assert again.outcome == "unchanged"
    assert Capture.objects.filter(visit=again.pk).exists()
    assert shown(rounds) == {first.pk}
    assert_files_say_so()


def test_forgotten_version_is_not_shown_by_visits_without_one(
    rounds: Rounds, source: Source, clock: DemoClock
) -> None:
    before = cancelled(rounds, source)
    first = rounds.visit(source)
    clock.advance(timedelta(days=3))
    second = asked(rounds, source)
    after = cancelled(rounds, source)
    assert [visit.outcome for visit in (before, first, second, after)] == [
        "cancelled",
        "captured",
        "captured",
        "cancelled",
    ]
    assert shown(rounds) == {before.pk, first.pk, second.pk, after.pk}
    versions.forget(actor=rounds.person, version_id=second.version.pk, because="asked to")
    assert after.pk not in shown(rounds)
    assert first.pk in shown(rounds)
    versions.forget(actor=rounds.person, version_id=first.version.pk, because="asked to")
    held = Capture.objects.filter(visit=first.pk, refers_to__isnull=False).values("refers_to")
    assert held.exists()
    assert not visible_captures(rounds.person).filter(pk__in=held).exists()
    assert not visible_captures(rounds.person).filter(refers_to__forgotten_at__isnull=False).exists()
    assert_files_say_so()


def test_version_forgotten_while_a_visit_is_under_way(rounds: Rounds, source: Source) -> None:
    first = rounds.visit(source)
    visit = visiting.ask_for_visit(actor=rounds.person, source_id=source.pk)
    steps.go_on(visit.pk)
    rounds.work()
    referring = Capture.objects.filter(visit=visit.pk, refers_to__visit=first.pk)
    assert referring.exists()
    versions.forget(actor=rounds.person, version_id=first.version.pk, because="asked to")
    assert referring.filter(forgotten_at=None).exists()  # it may become a version
    visiting.cancel_visit(actor=rounds.person, source_id=source.pk)
    rounds.finish(source)
    assert not referring.filter(forgotten_at=None).exists()
    assert_files_say_so()


def test_deleted_source_leaves_nothing_to_be_found(rounds: Rounds, source: Source) -> None:
    cancelled(rounds, source)
    rounds.visit(source)
    cancelled(rounds, source)
    services.remove(actor=rounds.person, source_id=source.pk, because="the owner asked")
    assert not visible_captures(rounds.person).exists()
    assert Removal.objects.get().versions == 1
    assert_files_say_so()


def test_source_without_versions_is_forgotten_too(rounds: Rounds, source: Source) -> None:
    cancelled(rounds, source)
    services.remove(actor=rounds.person, source_id=source.pk, because="the owner asked")
    assert not visible_captures(rounds.person).exists()


def test_what_comes_after_the_end_is_forgotten_as_well(rounds: Rounds, source: Source) -> None:
    rounds.visit(source)
    again = asked(rounds, source)
    late = Capture.objects.filter(visit=again.pk)
    late.update(forgotten_at=None)
    leftovers.forget_what_came_late()
    assert not late.filter(forgotten_at=None).exists()
    services.remove(actor=rounds.person, source_id=source.pk, because="the owner asked")
    of_source = Capture.objects.filter(source=source.pk)
    of_source.update(forgotten_at=None)
    leftovers.forget_what_came_late()
    assert not of_source.filter(forgotten_at=None).exists()
