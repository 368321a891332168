"""What a host's answers teach about its pace: how long it rests, and how slowly it is asked from then on."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.frontier.models import Host, Request, RobotsState
from ronda.grid import fetches
from ronda.grid.leasing import Work, lease_block
from ronda.grid.listening import Terms
from ronda.grid.models import Node
from ronda.grid.services import register_node
from tests.grid.test_uploads import requests_of, send
from tests.grid.warc_bodies import PAGE, pair, response
from tests.people import person_with

pytestmark = pytest.mark.django_db

TOO_MANY = response(429, b"")


@pytest.fixture
def ana(own_archive: Path) -> Person:
    return person_with(Role.CONTRIBUTOR, Role.CLIENT)


@pytest.fixture
def laptop(ana: Person) -> Node:
    return register_node(actor=ana, name="laptop", version="1", system="Linux")


def lease(ana: Person, laptop: Node) -> Work:
    """As if all delays and rests had passed, and nothing else."""
    now = timezone.now()
    for host in Host.objects.all():
        if host.backoff_until and host.backoff_at and host.backoff_until > now:
            host.backoff_at -= host.backoff_until - now
            host.backoff_until = now
        host.ready_at, host.robots_state = now - timedelta(seconds=1), RobotsState.ABSENT
        host.robots_expires_at = now + timedelta(days=1)
        host.save()
    Request.objects.update(not_before=now, attempts=0)
    return lease_block(actor=ana, node_id=laptop.pk, slots=4)


def answer(ana: Person, laptop: Node, page: bytes) -> Host:
    work = lease(ana, laptop)
    url, number = requests_of(work)[0]
    send(ana, laptop, work, pair(url, number, page))
    return Host.objects.get()


def test_host_that_keeps_refusing_rests_longer_and_is_asked_more_slowly(ana: Person, laptop: Node) -> None:
    fetches.create_fetch(actor=ana, urls=[f"http://a.example/{n}" for n in range(30)])
    rests, delays = [], []
    for _ in range(12):
        host = answer(ana, laptop, TOO_MANY)
        assert host.backoff_until
        assert host.backoff_at
        rests.append((host.backoff_until - host.backoff_at).total_seconds())
        delays.append(host.learned_delay_seconds)
    expected = [min(86_400, 60 * 2**n) for n in range(12)]
    assert rests == [pytest.approx(seconds, rel=0.11) for seconds in expected]
    assert delays == [min(120, 2 * 2**n) for n in range(12)]
    assert lease(ana, laptop).hosts[0].delay_seconds == 120


def test_good_answers_bring_the_pace_back_by_halves_a_day(ana: Person, laptop: Node) -> None:
    fetches.create_fetch(actor=ana, urls=[f"http://a.example/{n}" for n in range(30)])
    answer(ana, laptop, TOO_MANY)
    assert answer(ana, laptop, TOO_MANY).learned_delay_seconds == 4
    assert answer(ana, laptop, PAGE).learned_delay_seconds == 4
    Host.objects.update(learned_at=timezone.now() - timedelta(days=1, seconds=1))
    assert answer(ana, laptop, PAGE).learned_delay_seconds == 2
    assert answer(ana, laptop, PAGE).learned_delay_seconds == 2, "once a day"
    Host.objects.update(learned_at=timezone.now() - timedelta(days=1, seconds=1))
    assert answer(ana, laptop, PAGE).learned_delay_seconds is None


DAY = b"HTTP/1.1 503 Busy\r\nRetry-After: 86400\r\nContent-Length: 0\r\n\r\n"


def test_one_person_alone_puts_no_host_to_rest_for_a_day(
    ana: Person, laptop: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However well known: another person's node is asked first, and if it hears the same, that holds."""
    monkeypatch.setattr("ronda.grid.listening.terms_for", lambda node: Terms())
    bob = person_with(Role.CONTRIBUTOR, email="bob@example.org")
    desktop = register_node(actor=bob, name="desktop", version="1", system="Linux")
    fetches.create_fetch(actor=ana, urls=[f"http://a.example/{n}" for n in range(30)])

    def rest_seconds(host: Host) -> float:
        assert host.backoff_until
        assert host.backoff_at
        return (host.backoff_until - host.backoff_at).total_seconds()

    assert rest_seconds(answer(ana, laptop, DAY)) == pytest.approx(900, abs=1)
    assert lease(ana, laptop).hosts == [], "somebody else comes first"
    assert rest_seconds(answer(bob, desktop, DAY)) == pytest.approx(86_400, abs=1)


def test_alone_its_word_is_enough(ana: Person, laptop: Node) -> None:
    fetches.create_fetch(actor=ana, urls=["http://a.example/1"])
    host = answer(ana, laptop, DAY)
    assert host.backoff_until
    assert host.backoff_until > timezone.now() + timedelta(hours=23)
