"""Sites of the demo followed for weeks, at speed: every visit is really made, and what was lost is known exactly."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from ronda.demo import DemoClock, DemoServer, DemoWorld
from ronda.demo.schedule import Change
from ronda.rounds.models import Source, TrackRecord, VisitOutcome
from tests.rounds.at_hand import Rounds
from tests.rounds.at_speed import AtSpeed

# A change every other day or so, told by its sitemap; and one that never changes.
REGULAR, SILENT = "maproom", "rivers"
DAYS = 17


@pytest.fixture
def at_speed(rounds: Rounds, clock: DemoClock, monkeypatch: pytest.MonkeyPatch) -> AtSpeed:
    return AtSpeed(rounds, clock, monkeypatch)


def _seen(source: Source, outcome: VisitOutcome) -> list[datetime]:
    return list(
        source.visits.filter(outcome=outcome).order_by("opened_at").values_list("opened_at", flat=True)
    )


def _until(change: Change, changes: Sequence[Change]) -> datetime:
    """How long a visit had to keep it: until the same page changed again."""
    again = [other.at for other in changes if other.path == change.path and other.at > change.at]
    return min(again, default=datetime.max.replace(tzinfo=UTC))


def test_nothing_is_lost_and_silence_is_left_alone(
    at_speed: AtSpeed, demo: DemoServer, world: DemoWorld, clock: DemoClock
) -> None:
    began = clock.now()
    regular, silent = (
        at_speed.follow(demo.base_url(name), depth=0, max_pages=30) for name in (REGULAR, SILENT)
    )
    at_speed.run(DAYS)

    changes = world.timeline(world.site(REGULAR)).changes(began, clock.now())
    found = _seen(regular, VisitOutcome.CAPTURED)[1:]
    assert len(changes) > 4
    for change in changes:
        assert any(change.at < seen <= _until(change, changes) for seen in found), f"{change} was lost"
    assert len(found) <= len(changes), "and nothing was stored twice"
    assert regular.signals.exists()
    assert not regular.signals.filter(was_right=False).exists(), "the demo's sitemaps are true"

    record = TrackRecord.objects.get(pk=regular.pk)
    assert record.changes == len(found)
    assert record.lost < len(changes) / 2, "none was; the estimate knows only what visits saw"
    assert record.needless == len(_seen(regular, VisitOutcome.UNCHANGED))

    assert len(_seen(silent, VisitOutcome.UNCHANGED)) <= 8
    assert silent.visits.count() < regular.visits.count()
    assert silent.versions.count() == 1
