"""The rounds' tasks in the queue of the workers, short by themselves: the next steps of a visit, a feed that came."""

from __future__ import annotations

from django.db import close_old_connections
from procrastinate.contrib.django import app

from ronda.rounds import beacons, steps


@app.task(name="ronda.go_on_with_visit")
def go_on_with_visit(*, visit_id: int) -> None:
    close_old_connections()
    steps.go_on(visit_id)


@app.task(name="ronda.read_beacon")
def read_beacon(*, beacon_id: int, capture_id: int) -> None:
    close_old_connections()
    beacons.read(beacon_id, capture_id)
