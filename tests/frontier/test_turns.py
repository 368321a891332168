"""Whoever asks a host directly takes its turn: one at a time over all machines, with its delay and its rests."""

from __future__ import annotations

import threading
import time

import pytest
from django.db import connection
from django.utils import timezone

from ronda.frontier.errors import HostOptedOut
from ronda.frontier.models import Host, OptOut
from ronda.frontier.turns import (
    Busy,
    Turn,
    end_turn,
    end_turn_with_refusal,
    extend_turn,
    know_host,
    take_turn,
)

pytestmark = pytest.mark.django_db(transaction=True)

NAME = "wiki.example"


@pytest.fixture(autouse=True)
def _known() -> None:
    know_host(name=NAME, scheme="https")


def _taken() -> Turn:
    turn = take_turn(name=NAME, hold_seconds=30)
    assert isinstance(turn, Turn)
    return turn


def test_a_host_is_held_until_its_answer_and_its_delay_are_over() -> None:
    turn = _taken()
    assert isinstance(take_turn(name=NAME, hold_seconds=30), Busy)
    end_turn(turn, delay_seconds=60)
    waiting = take_turn(name=NAME, hold_seconds=30)
    assert isinstance(waiting, Busy)
    assert waiting.seconds > 1
    Host.objects.update(ready_at=timezone.now())
    end_turn(_taken(), delay_seconds=0)
    assert isinstance(take_turn(name=NAME, hold_seconds=30), Turn)


def test_a_turn_that_took_too_long_frees_nobody_else() -> None:
    late = _taken()
    Host.objects.update(ready_at=timezone.now())
    other = _taken()
    assert extend_turn(late, hold_seconds=60) == late
    end_turn(late, delay_seconds=0)
    assert isinstance(take_turn(name=NAME, hold_seconds=30), Busy)
    longer = extend_turn(other, hold_seconds=60)
    assert longer.held_until > other.held_until
    end_turn(longer, delay_seconds=0)
    assert isinstance(take_turn(name=NAME, hold_seconds=30), Turn)


def test_rests_are_as_long_as_asked_for_and_double_in_a_row() -> None:
    end_turn(_taken(), delay_seconds=0, rest_seconds=40)
    rested = Host.objects.get()
    assert rested.backoff_until
    assert rested.backoff_count == 0
    Host.objects.update(backoff_until=None)
    first = end_turn_with_refusal(_taken(), delay_seconds=0, retry_after_seconds=None)
    Host.objects.update(backoff_until=timezone.now())
    second = end_turn_with_refusal(_taken(), delay_seconds=0, retry_after_seconds=None)
    assert 1.5 * first < second < 2.5 * first
    Host.objects.update(backoff_until=timezone.now())
    assert end_turn_with_refusal(_taken(), delay_seconds=0, retry_after_seconds=5000) >= 5000


def test_who_opted_out_is_not_asked() -> None:
    Host.objects.update(blocked_reason="they said no")
    with pytest.raises(HostOptedOut, match="they said no"):
        take_turn(name=NAME, hold_seconds=30)
    OptOut.objects.create(pattern="*.example.net", reason="no bots")
    with pytest.raises(HostOptedOut, match="no bots"):
        know_host(name="wiki.example.net", scheme="https")


def test_many_at_once_never_have_it_together() -> None:
    inside, most = 0, 0
    lock = threading.Lock()

    def ask() -> None:
        nonlocal inside, most
        for _ in range(5):
            while isinstance(turn := take_turn(name=NAME, hold_seconds=30), Busy):
                time.sleep(0.005)
            with lock:
                inside += 1
                most = max(most, inside)
            time.sleep(0.002)
            with lock:
                inside -= 1
            end_turn(turn, delay_seconds=0)
        connection.close()

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1
