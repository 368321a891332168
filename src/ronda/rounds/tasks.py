"""The rounds' task in the queue of the workers: the next steps of a visit, short by themselves."""

from __future__ import annotations

from django.db import close_old_connections
from procrastinate.contrib.django import app

from ronda.rounds import steps


@app.task(name="ronda.go_on_with_visit")
def go_on_with_visit(*, visit_id: int) -> None:
    close_old_connections()
    steps.go_on(visit_id)
