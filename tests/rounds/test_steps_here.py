"""The web process takes small steps of visits itself, as long as there are few; the rest is for workers."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from django.db import DatabaseError

from ronda.rounds import steps_here
from ronda.rounds.steps_here import MOST_PAGES, MOST_WAITING, StepsHere
from tests.running import wait_for


class Steps:
    """What was gone on with; each step waits until it is let go."""

    def __init__(self) -> None:
        self.taken: list[int] = []
        self.let_go = threading.Event()

    def go_on(self, visit_id: int) -> None:
        self.taken.append(visit_id)
        self.let_go.wait(60)
        if visit_id < 0:
            raise DatabaseError("it went away")


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Iterator[Steps]:
    monkeypatch.setattr(steps_here, "_here", None)
    steps = Steps()
    yield steps
    steps.let_go.set()


def test_without_a_web_process_all_steps_are_for_workers() -> None:
    assert not steps_here.take(1, pages=1, waiting=0)


@pytest.mark.django_db(transaction=True)
def test_few_answers_are_read_here_and_many_elsewhere(steps: Steps) -> None:
    steps_here.start(steps.go_on)
    assert steps_here.take(1, pages=1, waiting=0)
    assert not steps_here.take(2, pages=MOST_PAGES + 1, waiting=0)
    assert not steps_here.take(2, pages=1, waiting=MOST_PAGES + 1)
    wait_for(lambda: steps.taken == [1], "the step to be taken")


@pytest.mark.django_db(transaction=True)
def test_when_many_visits_wait_workers_get_the_next(steps: Steps) -> None:
    steps_here.start(steps.go_on)
    assert steps_here.take(1, pages=1, waiting=0)
    wait_for(lambda: steps.taken == [1], "the first step")
    for visit_id in range(2, 2 + MOST_WAITING):
        assert steps_here.take(visit_id, pages=1, waiting=0)
    assert not steps_here.take(99, pages=1, waiting=0)


def test_visit_that_waits_is_gone_on_with_once(steps: Steps) -> None:
    here = StepsHere(steps.go_on)
    here.offer(1)
    here.offer(1)
    here.offer(2)
    steps.let_go.set()
    here.start()
    wait_for(lambda: steps.taken == [1, 2], "both steps")


def test_step_that_fails_keeps_none_behind_it(steps: Steps) -> None:
    here = StepsHere(steps.go_on)
    steps.let_go.set()
    here.offer(-1)
    here.offer(2)
    here.start()
    wait_for(lambda: steps.taken == [-1, 2], "the next step")
