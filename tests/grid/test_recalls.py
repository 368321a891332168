"""What nobody wants any more is not begun: a node that holds it hears of it at once, also in the middle of a block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.frontier import arrivals, opt_outs
from ronda.frontier.models import Host, RobotsState
from ronda.grid import fetches, heartbeats
from ronda.grid.errors import NodeRemoved
from ronda.grid.heartbeats import Held, take_heartbeat
from ronda.grid.leasing import PAUSED, Waiting, Work, lease_block
from ronda.grid.models import Fetch, Node
from ronda.grid.services import NodeState, pause_node, register_node, remove_node
from tests.people import person_with
from tests.running import wait_for

LONG_SECONDS = 60.0
AT_WORK = NodeState(slots=4, pending=2, doing="fetching")

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ana(own_archive: Path) -> Person:
    return person_with(Role.CONTRIBUTOR, Role.CLIENT, Role.DIRECTOR)


@pytest.fixture
def laptop(ana: Person) -> Node:
    return register_node(actor=ana, name="laptop", version="1", system="Linux")


@pytest.fixture
def fetch(ana: Person) -> Fetch:
    return fetches.create_fetch(actor=ana, urls=["http://a.example/1", "http://b.example/1"])


@pytest.fixture
def work(ana: Person, laptop: Node, fetch: Fetch) -> Work:
    Host.objects.update(robots_state=RobotsState.ABSENT, robots_expires_at=timezone.now() + timedelta(days=1))
    return lease_block(actor=ana, node_id=laptop.pk, slots=4)


def numbers_of(work: Work, *hosts: str) -> set[str]:
    return {str(request.id) for host in work.hosts if host.name in hosts for request in host.requests}


def beat(ana: Person, laptop: Node, heard: str = "", seconds: float = 0.0) -> Held:
    waiting = Waiting(seconds) if seconds else None
    return take_heartbeat(
        actor=ana, node_id=laptop.pk, blocks=[], state=AT_WORK, heard=heard, waiting=waiting
    )


@contextmanager
def waiting_for_news(ana: Person, laptop: Node) -> Iterator[Callable[[], Held]]:
    """The node has heard all there is, and waits at the server; gives how to hear what it is told."""
    heard = beat(ana, laptop).news.token

    def wait() -> Held:
        try:
            return beat(ana, laptop, heard, LONG_SECONDS)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        told = pool.submit(wait)
        wait_for(lambda: told.done() or len(arrivals.holders) > 0, "the node to be kept")
        assert not told.done()
        yield lambda: told.result(timeout=LONG_SECONDS / 2)
    assert len(arrivals.holders) == 0


def test_of_a_cancelled_fetch(ana: Person, laptop: Node, fetch: Fetch, work: Work) -> None:
    with waiting_for_news(ana, laptop) as told:
        fetches.cancel_fetch(actor=ana, fetch_id=fetch.pk)
        assert set(told().news.unwanted) == numbers_of(work, "a.example", "b.example")


def test_of_a_host_that_opted_out(ana: Person, laptop: Node, work: Work) -> None:
    with waiting_for_news(ana, laptop) as told:
        opt_outs.add_opt_out(actor=ana, pattern="a.example", reason="its owner asked")
        assert set(told().news.unwanted) == numbers_of(work, "a.example")


def test_of_the_robots_txt_of_a_host_that_opted_out(ana: Person, laptop: Node, fetch: Fetch) -> None:
    lease_block(actor=ana, node_id=laptop.pk, slots=4)
    opt_outs.add_opt_out(actor=ana, pattern="a.example", reason="its owner asked")
    assert beat(ana, laptop).news.unwanted == (f"robots-{Host.objects.get(name='a.example').pk}",)


def test_of_its_pause_and_its_removal(ana: Person, laptop: Node, work: Work) -> None:
    with waiting_for_news(ana, laptop) as told:
        pause_node(actor=ana, node_id=laptop.pk)
        assert told().news.rest_because == PAUSED
    with waiting_for_news(ana, laptop) as told:
        remove_node(actor=ana, node_id=laptop.pk)
        with pytest.raises(NodeRemoved):
            told()


def test_news_between_two_beats_are_told_with_the_next(ana: Person, laptop: Node, work: Work) -> None:
    heard = beat(ana, laptop).news.token
    pause_node(actor=ana, node_id=laptop.pk)
    assert beat(ana, laptop, heard, LONG_SECONDS).news.rest_because == PAUSED


def test_a_call_that_is_not_for_it_keeps_it_waiting(ana: Person, laptop: Node, work: Work) -> None:
    with waiting_for_news(ana, laptop) as told:
        called = arrivals.holders.count
        other = fetches.create_fetch(actor=ana, urls=["http://c.example/"])
        fetches.cancel_fetch(actor=ana, fetch_id=other.pk)
        wait_for(lambda: arrivals.holders.count > called and len(arrivals.holders) > 0, "it to stand again")
        pause_node(actor=ana, node_id=laptop.pk)
        assert told().news.rest_because == PAUSED


def test_more_than_can_be_kept_are_answered_at_once(
    monkeypatch: pytest.MonkeyPatch, ana: Person, laptop: Node, work: Work
) -> None:
    monkeypatch.setattr(heartbeats, "MOST_KEPT", 0)
    heard = beat(ana, laptop).news.token
    assert beat(ana, laptop, heard, LONG_SECONDS).news.token == heard


def test_a_process_that_ends_sends_everybody_away(
    monkeypatch: pytest.MonkeyPatch, ana: Person, laptop: Node, work: Work
) -> None:
    monkeypatch.setattr(arrivals, "line", arrivals.Line())
    monkeypatch.setattr(arrivals, "holders", arrivals.Line())
    with waiting_for_news(ana, laptop) as told:
        arrivals.send_away()
        assert told().news.unwanted == ()
