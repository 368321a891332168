"""Weeks in the loop within seconds: visits are really made, on the demo's clock instead of ours."""

from __future__ import annotations

from datetime import datetime, timedelta
from types import SimpleNamespace

import pytest

from ronda.demo import DemoClock
from ronda.rounds import (
    beacons,
    capturing,
    closing,
    notifying,
    observing,
    planning,
    pushing,
    steps,
    version_making,
    visiting,
)
from ronda.rounds.models import Beacon, Source, Visit
from tests.rounds.at_hand import Rounds

# Leases and hosts live by the database's clock, visits by the demo's.
ON_THE_DEMO_S_CLOCK = (
    beacons,
    capturing,
    closing,
    notifying,
    observing,
    planning,
    steps,
    version_making,
    visiting,
)


class AtSpeed:
    """Goes from one thing that is due to the next: a visit, or a look at a feed."""

    def __init__(self, rounds: Rounds, clock: DemoClock, monkeypatch: pytest.MonkeyPatch) -> None:
        self.rounds, self.clock = rounds, clock
        self.read: list[tuple[int, int]] = []
        for module in ON_THE_DEMO_S_CLOCK:
            monkeypatch.setattr(module, "timezone", SimpleNamespace(now=clock.now))
        monkeypatch.setattr(pushing, "push_beacon", lambda *ids: self.read.append(ids))

    def follow(self, url: str, **wish: object) -> Source:
        return self.rounds.follow(url, next_visit_at=self.clock.now(), **wish)

    def run(self, days: float) -> None:
        end = self.clock.now() + timedelta(days=days)
        while (due := self._next()) and due[0] <= end:
            at, what = due
            self.clock.advance(max(at - self.clock.now(), timedelta()))
            if isinstance(what, Source):
                self._visit(what)
            else:
                self._look()
        self.clock.advance(end - self.clock.now())

    def _next(self) -> tuple[datetime, Source | Beacon] | None:
        source = Source.objects.filter(next_visit_at__isnull=False).order_by("next_visit_at").first()
        beacon = Beacon.objects.filter(next_look_at__isnull=False).order_by("next_look_at").first()
        found = [(one.next_visit_at, one) for one in (source,) if one] + [
            (one.next_look_at, one) for one in (beacon,) if one
        ]
        return min(found, key=lambda due: due[0], default=None)  # type: ignore[arg-type, return-value]

    def _visit(self, source: Source) -> Visit:
        """A visit is opened by our clock: that is put right before it looks."""
        visiting.open_due_visits()
        visit = source.visits.latest("pk")
        Visit.objects.filter(pk=visit.pk).update(opened_at=self.clock.now())
        return self.rounds.finish(source)

    def _look(self) -> None:
        beacons.look_at_due()
        while self.rounds.work():
            pass
        for beacon_id, capture_id in self.read:
            beacons.read(beacon_id, capture_id)
        self.read.clear()
        beacons.forget_requests()
