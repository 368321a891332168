"""A node with nothing to do is kept at the server and called when there is work; what it does not hear is not lost."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from django.db import connection
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.frontier import arrivals
from ronda.frontier.arrivals import Line
from ronda.frontier.models import Host, Lease, RobotsState
from ronda.grid import fetches, leasing
from ronda.grid.block_size import block_size, fair_share, worth_a_block
from ronda.grid.errors import NodeRemoved
from ronda.grid.leasing import Waiting, Work, lease_block
from ronda.grid.models import Node
from ronda.grid.services import pause_node, register_node, remove_node
from tests.people import person_with
from tests.running import wait_for

LONG_SECONDS = 60.0
URL = "http://a.example/"


@pytest.fixture
def ana(own_archive: Path) -> Person:
    return person_with(Role.CONTRIBUTOR, Role.CLIENT)


@pytest.fixture
def laptop(ana: Person) -> Node:
    return register_node(actor=ana, name="laptop", version="1", system="Linux")


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a call ends the waiting."""
    monkeypatch.setattr(leasing, "_come_back_seconds", lambda due, is_kept: LONG_SECONDS)


def queue(ana: Person, urls: list[str]) -> None:
    fetches.create_fetch(actor=ana, urls=urls)
    # As if the robots.txt had been asked for: this one gives the page at once.
    Host.objects.update(robots_state=RobotsState.ABSENT, robots_expires_at=timezone.now() + timedelta(days=1))


def urls_of(work: Work) -> list[str]:
    return [request.url for host in work.hosts for request in host.requests]


@contextmanager
def asking(
    ana: Person, node: Node, is_over: Callable[[], bool] = lambda: False
) -> Iterator[Callable[[], Work]]:
    """The node asks, and is being kept; gives how to hear the answer."""

    def ask() -> Work:
        try:
            return lease_block(
                actor=ana, node_id=node.pk, slots=4, waiting=Waiting(LONG_SECONDS, is_over=is_over)
            )
        finally:
            connection.close()

    before = len(arrivals.line)
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(ask)
        wait_for(lambda: asked.done() or len(arrivals.line) > before, "the node to be kept")
        yield lambda: asked.result(timeout=LONG_SECONDS)


@pytest.mark.django_db(transaction=True)
def test_node_is_kept_until_there_is_work(ana: Person, laptop: Node) -> None:
    Host.objects.create(
        name="a.example", scheme="http", robots_state=RobotsState.ABSENT,
        robots_expires_at=timezone.now() + timedelta(days=1),
    )  # fmt: skip
    with asking(ana, laptop) as answer:
        fetches.create_fetch(actor=ana, urls=[URL])
        assert urls_of(answer()) == [URL]
    assert len(arrivals.line) == 0


@pytest.mark.django_db(transaction=True)
def test_what_others_queue_is_heard_through_the_database() -> None:
    with psycopg.connect(**connection.get_connection_params(), autocommit=True) as database:

        def hear() -> None:
            with suppress(psycopg.Error):
                arrivals.hear(database)

        hearing = threading.Thread(target=hear)
        hearing.start()
        wait_for(arrivals._is_listening.is_set, "the process to listen")
        called = arrivals.line.count
        arrivals.tell()
        wait_for(lambda: arrivals.line.count > called, "the call")
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s)", [database.info.backend_pid])
        hearing.join(LONG_SECONDS)
    assert not arrivals._is_listening.is_set()


@pytest.mark.django_db(transaction=True)
def test_who_hung_up_is_given_nothing(ana: Person, laptop: Node) -> None:
    with asking(ana, laptop, is_over=lambda: True) as answer:
        queue(ana, [URL])
        arrivals.line.call()
        assert answer().hosts == []
    assert not Lease.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_what_was_reserved_for_who_hung_up_is_free_at_once(ana: Person, laptop: Node) -> None:
    """It hangs up while its work is being looked for."""
    heard = iter([False, True])
    with asking(ana, laptop, is_over=lambda: next(heard)) as answer:
        queue(ana, [URL])
        arrivals.line.call()
        answer()
    assert not Lease.objects.filter(is_over=False).exists()
    assert urls_of(lease_block(actor=ana, node_id=laptop.pk, slots=4)) == [URL]


@pytest.mark.django_db(transaction=True)
def test_node_that_is_paused_or_removed_while_it_waits_gets_nothing(ana: Person, laptop: Node) -> None:
    with asking(ana, laptop) as answer:
        pause_node(actor=ana, node_id=laptop.pk)
        queue(ana, [URL])
        assert answer().because == leasing.PAUSED
    tower = register_node(actor=ana, name="tower", version="1", system="Linux")
    Host.objects.update(has_work=False)
    with asking(ana, tower) as answer:
        remove_node(actor=ana, node_id=tower.pk)
        Host.objects.update(has_work=True)
        arrivals.line.call()
        with pytest.raises(NodeRemoved):
            answer()


@pytest.mark.django_db
def test_more_than_can_be_kept_are_told_when_to_come_back(
    monkeypatch: pytest.MonkeyPatch, ana: Person, laptop: Node
) -> None:
    monkeypatch.setattr(leasing, "MOST_KEPT", 0)
    work = lease_block(actor=ana, node_id=laptop.pk, slots=4, waiting=Waiting(LONG_SECONDS))
    assert (work.hosts, work.come_back_seconds) == ([], LONG_SECONDS)


@pytest.mark.django_db
def test_node_with_full_hands_is_not_told_to_rest(
    monkeypatch: pytest.MonkeyPatch, ana: Person, laptop: Node
) -> None:
    """Who rests gives back what it holds, and would fetch it again."""
    queue(ana, [f"http://a.example/{number}" for number in range(10)])
    assert lease_block(actor=ana, node_id=laptop.pk, slots=4).hosts
    monkeypatch.setattr(leasing, "BLOCKS_HELD", 0)
    work = lease_block(actor=ana, node_id=laptop.pk, slots=4)
    assert (work.hosts, work.because) == ([], "")
    assert work.come_back_seconds > 0


@pytest.mark.django_db
def test_of_one_host_each_of_several_nodes_gets_a_share(ana: Person, laptop: Node) -> None:
    queue(ana, [f"http://a.example/{number}" for number in range(80)])
    size = block_size(laptop, 4, 120.0)
    assert fair_share(size, slots=4, nodes=1).urls == size.urls
    assert fair_share(size, slots=4, nodes=2).urls == 20
    assert fair_share(size, slots=4, nodes=50).urls == 4, "never less than it can fetch at a time"
    assert fair_share(size, slots=4, nodes=50, least_urls=15).urls == 15, "nor than is worth a block"
    assert worth_a_block(60.0) == 15
    assert worth_a_block(None) == 0


def wait_in(line: Line, seconds: float = LONG_SECONDS, who: uuid.UUID | None = None) -> threading.Thread:
    told = {"since": line.count, "seconds": seconds, "who": who}
    waiting = threading.Thread(target=line.wait, kwargs=told)
    before = len(line)
    waiting.start()
    wait_for(lambda: len(line) > before, "it to stand in line")
    return waiting


def test_those_who_came_first_are_called_first() -> None:
    line = Line()
    first, second, third = (wait_in(line) for _ in range(3))
    line.call(2)
    first.join(LONG_SECONDS)
    second.join(LONG_SECONDS)
    assert third.is_alive()
    assert len(line) == 1
    line.close()
    third.join(LONG_SECONDS)
    assert not third.is_alive()


def test_somebody_in_particular_is_called_wherever_it_stands() -> None:
    line, name = Line(), uuid.uuid4()
    first, second, third = wait_in(line), wait_in(line), wait_in(line, who=name)
    line.call(1, besides=name)
    first.join(LONG_SECONDS)
    third.join(LONG_SECONDS)
    assert not first.is_alive()
    assert not third.is_alive()
    assert len(line) == 1
    line.close()
    second.join(LONG_SECONDS)


def test_call_between_looking_and_waiting_is_not_missed() -> None:
    line = Line()
    looked = line.count
    line.call()
    began = time.monotonic()
    line.wait(since=looked, seconds=LONG_SECONDS)
    assert time.monotonic() - began < LONG_SECONDS


def test_who_is_not_called_goes_after_a_while() -> None:
    line = Line()
    line.wait(since=line.count, seconds=0.01)
    assert len(line) == 0


def test_those_who_were_called_look_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """But nobody waits for ever for one who got stuck."""
    line, looking = Line(), threading.Event()
    monkeypatch.setattr(arrivals, "LONGEST_LOOK_SECONDS", LONG_SECONDS)

    def look() -> None:
        with line.look_alone():
            looking.set()

    with line.look_alone():
        second = threading.Thread(target=look)
        second.start()
        assert not looking.wait(0.1), "the first is still at it"
    second.join(LONG_SECONDS)
    assert looking.is_set()
    monkeypatch.setattr(arrivals, "LONGEST_LOOK_SECONDS", 0.01)
    with line.look_alone(), line.look_alone():
        pass
