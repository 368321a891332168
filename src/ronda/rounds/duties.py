"""What the leader does for the rounds."""

from __future__ import annotations

from ronda.rounds import closing, leftovers, steps, version_making, visiting
from ronda.supervision.duties import duty


@duty(every_seconds=2)
def open_visits_that_are_due() -> None:
    visiting.open_due_visits()


@duty(every_seconds=3)
def go_on_with_visits() -> None:
    steps.push_ready_visits()


@duty(every_seconds=5)
def note_when_versions_can_be_found() -> None:
    version_making.note_index_seconds()


@duty(every_seconds=60)
def forget_requests_of_ended_visits() -> None:
    closing.forget_requests()


@duty(every_seconds=300)
def forget_what_came_too_late() -> None:
    leftovers.forget_what_came_late()
