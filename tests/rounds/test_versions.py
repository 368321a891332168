"""Versions are pinned and forgotten; what later ones refer to stays."""

from __future__ import annotations

from datetime import timedelta

import pytest

from ronda.accounts.roles import Role
from ronda.archive.models import Capture
from ronda.archive.queries import visible_captures
from ronda.demo import DemoClock, DemoServer
from ronda.errors import Forbidden, InvalidInput
from ronda.rounds import versions, visiting
from ronda.rounds.errors import NoSuchVersion, VersionPinned
from ronda.rounds.known import known_captures, last_version
from ronda.rounds.queries import visible_versions
from tests.people import person_with
from tests.rounds.at_hand import Rounds


def test_pin_and_forget(rounds: Rounds, demo: DemoServer, clock: DemoClock) -> None:
    source = rounds.follow(demo.base_url("boreal"), scope="prefix", max_pages=6)
    rounds.visit(source)
    clock.advance(timedelta(days=3))
    visiting.ask_for_visit(actor=rounds.person, source_id=source.pk)
    rounds.finish(source)
    first, second = source.versions.order_by("number")
    someone = person_with(Role.SUBSCRIBER, email="someone@example.org")
    with pytest.raises(Forbidden):
        versions.pin(actor=someone, version_id=first.pk, is_pinned=True)
    pinned = versions.pin(actor=rounds.person, version_id=first.pk, is_pinned=True)
    assert (
        pinned.pinned_at == versions.pin(actor=rounds.person, version_id=first.pk, is_pinned=True).pinned_at
    )
    with pytest.raises(VersionPinned):
        versions.forget(actor=rounds.person, version_id=first.pk, because="a mistake")
    versions.pin(actor=rounds.person, version_id=first.pk, is_pinned=False)
    with pytest.raises(InvalidInput):
        versions.forget(actor=rounds.person, version_id=first.pk, because=" ")
    forgotten = versions.forget(actor=rounds.person, version_id=first.pk, because="a mistake")
    assert (forgotten.forgotten_by, forgotten.forgotten_because) == (rounds.person, "a mistake")
    assert list(visible_versions(rounds.person)) == [second]
    shown = visible_captures(rounds.person)
    assert set(shown.values_list("visit", flat=True)) == {second.visit_id}
    referring = shown.filter(refers_to__isnull=False)
    assert referring.exists()
    assert all(capture.refers_to and capture.refers_to.forgotten_at for capture in referring)
    with pytest.raises(NoSuchVersion):
        versions.forget(actor=rounds.person, version_id=first.pk, because="again")

    # Forgotten altogether, the source begins anew, and numbers go on.
    versions.forget(actor=rounds.person, version_id=second.pk, because="a mistake, too")
    assert last_version(source) is None
    assert known_captures(second, list(second.visit.pages.values_list("url", flat=True))) == {}
    visit = rounds.visit(source)
    assert (visit.cause, visit.outcome) == ("first", "captured")
    third = source.versions.get(forgotten_at=None)
    assert third.number == 3
    assert Capture.objects.filter(visit=visit.pk, forgotten_at=None).exists()
