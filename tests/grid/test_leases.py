"""Leases over time: extended while a node is at work, lost when it is silent, and late answers that harm nobody."""

from __future__ import annotations

import threading
import uuid
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.db.models import F
from django.test import Client
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.accounts.services import create_token
from ronda.archive import services as archive
from ronda.archive.models import Capture
from ronda.archive.warc_writer import WarcWriter
from ronda.errors import Forbidden, InvalidInput
from ronda.frontier import leases
from ronda.frontier.models import Host, IpGroup, Lease, Request, RobotsState
from ronda.frontier.policies import pace_now
from ronda.grid import fetches, queries, services
from ronda.grid.errors import BadUpload, LeaseOver, NodeRemoved, NodeTooOld, NoSuchNode
from ronda.grid.heartbeats import MOST_LEASES, take_heartbeat
from ronda.grid.leasing import Work, lease_block
from ronda.grid.models import Node
from ronda.grid.policies import guard_seconds
from ronda.grid.presence import at_work
from ronda.grid.services import NodeState, register_node
from tests.grid.test_uploads import member, pair, requests_of, send
from tests.people import person_with

pytestmark = pytest.mark.django_db

URLS = ["http://a.example/1", "http://a.example/2", "http://b.example/"]
AT_WORK = NodeState(slots=4, pending=3, urls_per_second=1.5, doing="fetching")


@pytest.fixture
def ana(own_archive: Path) -> Person:
    return person_with(Role.CONTRIBUTOR, Role.CLIENT)


@pytest.fixture
def laptop(ana: Person) -> Node:
    return register_node(actor=ana, name="laptop", version="1", system="Linux")


@pytest.fixture
def tower(ana: Person) -> Node:
    return register_node(actor=ana, name="tower", version="1", system="Linux")


@pytest.fixture
def work(ana: Person, laptop: Node) -> Work:
    fetches.create_fetch(actor=ana, urls=URLS)
    Host.objects.update(robots_state=RobotsState.ABSENT, robots_expires_at=timezone.now() + timedelta(days=1))
    return lease_block(actor=ana, node_id=laptop.pk, slots=4)


def let_pass(seconds: float) -> None:
    """As if the time had passed."""
    back = timedelta(seconds=seconds)
    Lease.objects.update(expires_at=F("expires_at") - back, granted_at=F("granted_at") - back)
    Host.objects.update(ready_at=F("ready_at") - back)


def body_of(work: Work) -> bytes:
    return b"".join(pair(url, number) for url, number in requests_of(work))


def test_sign_of_life_extends_leases_and_what_the_hosts_wait_for(
    ana: Person, laptop: Node, work: Work
) -> None:
    let_pass(60)
    held = take_heartbeat(actor=ana, node_id=laptop.pk, blocks=[work.block], state=AT_WORK)
    assert held.blocks[work.block] == pytest.approx(120, abs=5)
    for lease in Lease.objects.select_related("host"):
        assert lease.expires_at > timezone.now() + timedelta(seconds=110)
        assert lease.host.ready_at == lease.expires_at + timedelta(seconds=guard_seconds())
    laptop.refresh_from_db()
    assert (laptop.slots, laptop.pending, laptop.urls_per_second, laptop.doing) == (4, 3, 1.5, "fetching")


def test_lease_cannot_be_held_for_ever(ana: Person, laptop: Node, work: Work) -> None:
    for _ in range(MOST_LEASES * 2):
        let_pass(100)
        held = take_heartbeat(actor=ana, node_id=laptop.pk, blocks=[work.block], state=AT_WORK)
    assert held.blocks[work.block] < 0


def test_expired_lease_is_kept_alive_while_nobody_has_the_host(ana: Person, laptop: Node, work: Work) -> None:
    let_pass(125)
    assert take_heartbeat(actor=ana, node_id=laptop.pk, blocks=[work.block], state=AT_WORK).blocks


def test_lost_lease_is_not_extended(ana: Person, laptop: Node, tower: Node, work: Work) -> None:
    let_pass(120 + guard_seconds() + 1)
    others = lease_block(actor=ana, node_id=tower.pk, slots=4)
    assert len(requests_of(others)) == 3
    assert set(Request.objects.values_list("attempts", flat=True)) == {1}
    held_until = {host.pk: host.ready_at for host in Host.objects.all()}
    assert take_heartbeat(actor=ana, node_id=laptop.pk, blocks=[work.block], state=AT_WORK).blocks == {}
    assert {host.pk: host.ready_at for host in Host.objects.all()} == held_until


def test_nobody_extends_what_is_not_theirs(ana: Person, tower: Node, work: Work) -> None:
    assert take_heartbeat(actor=ana, node_id=tower.pk, blocks=[work.block], state=AT_WORK).blocks == {}
    thief = person_with(Role.CONTRIBUTOR, email="thief@example.org")
    with pytest.raises(NoSuchNode):
        take_heartbeat(actor=thief, node_id=tower.pk, blocks=[work.block], state=AT_WORK)
    with pytest.raises(Forbidden):
        take_heartbeat(actor=person_with(Role.CLIENT, email="c@example.org"),
                       node_id=tower.pk, blocks=[], state=AT_WORK)  # fmt: skip


def test_late_answers_count_once_and_free_nobody_elses_host(
    ana: Person, laptop: Node, tower: Node, work: Work
) -> None:
    let_pass(120 + guard_seconds() + 1)
    others = lease_block(actor=ana, node_id=tower.pk, slots=4)
    held_until = {host.pk: (host.ready_at, host.holders) for host in Host.objects.all()}
    assert send(ana, laptop, work, body_of(work)) == 3
    assert {host.pk: (host.ready_at, host.holders) for host in Host.objects.all()} == held_until
    assert not Request.objects.exists()
    # The other one brings them too: nothing is left to answer, nothing is stored twice, its hosts are free.
    assert send(ana, tower, others, body_of(others)) == 0
    assert Capture.objects.count() == 3
    assert not Lease.objects.exists()
    assert set(Host.objects.values_list("holders", flat=True)) == {0}
    with pytest.raises(LeaseOver):
        send(ana, laptop, work, body_of(work))
    [fetch] = fetches.fetches(actor=ana)
    assert fetch.answers.count() == 3


def test_late_answer_of_which_a_part_was_answered_by_others(
    ana: Person, laptop: Node, tower: Node, work: Work
) -> None:
    let_pass(120 + guard_seconds() + 1)
    others = lease_block(actor=ana, node_id=tower.pk, slots=4)
    url, number = requests_of(others)[1]
    assert send(ana, tower, others, pair(url, number)) == 1
    assert send(ana, laptop, work, body_of(work)) == 2
    assert Capture.objects.count() == 3
    assert sorted(Capture.objects.values_list("url", flat=True)) == URLS
    made_up = pair("http://a.example/1", "999999")
    with pytest.raises((LeaseOver, BadUpload)):
        send(ana, laptop, work, made_up)


def test_broken_off_fetch_leaves_its_host_alone_for_as_long_as_it_could_have_taken(
    ana: Person, laptop: Node, work: Work
) -> None:
    from io import BytesIO

    from ronda.grid.answers import take_upload

    first = next(number for url, number in requests_of(work) if "a.example" in url)
    take_upload(
        actor=ana, node_id=laptop.pk, block=work.block, upload=BytesIO(), interrupted=frozenset({first})
    )
    a, b = Host.objects.order_by("name")
    assert a.ready_at > timezone.now() + timedelta(seconds=100)
    assert b.ready_at < timezone.now() + timedelta(seconds=10)
    assert (a.holders, b.holders) == (0, 0)
    assert set(Request.objects.values_list("attempts", flat=True)) == {0}, "it was not their fault"


def test_crawl_delay_holds_from_the_robots_txt_on(ana: Person, laptop: Node) -> None:
    fetches.create_fetch(actor=ana, urls=["http://slow.example/"])
    work = lease_block(actor=ana, node_id=laptop.pk, slots=4)
    [host] = work.hosts
    assert host.is_robots
    robots = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent: *\nCrawl-delay: 30\n"
    send(ana, laptop, work, pair(host.requests[0].url, f"robots-{host.host_id}", robots))
    assert Host.objects.get().ready_at > timezone.now() + timedelta(seconds=25)


def test_node_can_name_its_block_and_give_back_what_it_never_heard_of(ana: Person, laptop: Node) -> None:
    fetches.create_fetch(actor=ana, urls=URLS)
    mine = uuid.uuid4()
    assert lease_block(actor=ana, node_id=laptop.pk, slots=4, block=mine).block == mine
    assert Lease.objects.filter(block=mine).count() == 2
    unheard = Work(mine, [], 0, 0, 0, pace_now())
    assert send(ana, laptop, unheard, b"") == 0
    assert not Lease.objects.exists()
    with pytest.raises(LeaseOver):
        send(ana, laptop, unheard, b"")


def test_lost_leases_free_the_second_gate(ana: Person, laptop: Node, tower: Node) -> None:
    fetches.create_fetch(actor=ana, urls=["http://a.example/", "http://b.example/", "http://c.example/"])
    Host.objects.update(
        robots_state=RobotsState.ABSENT,
        robots_expires_at=timezone.now() + timedelta(days=1),
        ip_group=IpGroup.objects.create(address="192.0.2.1"),
    )
    assert len(lease_block(actor=ana, node_id=laptop.pk, slots=4).hosts) == 2
    let_pass(120 + guard_seconds() + 1)
    assert len(lease_block(actor=ana, node_id=tower.pk, slots=4).hosts) == 2


def test_sweep_ends_what_nobody_asks_about_and_forgets_the_oldest(
    ana: Person, laptop: Node, work: Work
) -> None:
    now = timezone.now()
    leases.sweep_leases(lost_before=now - timedelta(hours=3), forget_before=now - timedelta(days=3))
    assert Lease.objects.filter(is_over=False).count() == 2
    let_pass(4 * 3600)
    leases.sweep_leases(lost_before=now - timedelta(hours=3), forget_before=now - timedelta(days=3))
    assert Lease.objects.filter(is_over=True).count() == 2
    assert set(Host.objects.values_list("holders", flat=True)) == {0}
    assert send(ana, laptop, work, body_of(work)) == 3, "a laptop that slept may still bring what it has"
    leases.sweep_leases(lost_before=now, forget_before=now + timedelta(days=1))
    assert not Lease.objects.exists()


def test_paused_node_gets_nothing_and_is_told_why(ana: Person, laptop: Node, work: Work) -> None:
    services.pause_node(actor=ana, node_id=laptop.pk)
    held = take_heartbeat(actor=ana, node_id=laptop.pk, blocks=[work.block], state=AT_WORK)
    assert work.block in held.blocks
    assert "paused" in held.news.rest_because
    send(ana, laptop, work, b"")
    Host.objects.update(ready_at=timezone.now())
    resting = lease_block(actor=ana, node_id=laptop.pk, slots=4)
    assert not resting.hosts
    assert "paused" in resting.because
    assert resting.come_back_seconds > 1
    services.resume_node(actor=ana, node_id=laptop.pk)
    assert lease_block(actor=ana, node_id=laptop.pk, slots=4).hosts


def test_removed_node_may_bring_what_it_has_and_nothing_more(ana: Person, laptop: Node, work: Work) -> None:
    services.remove_node(actor=ana, node_id=laptop.pk)
    assert not queries.nodes(actor=ana).exists()
    with pytest.raises(NodeRemoved):
        lease_block(actor=ana, node_id=laptop.pk, slots=4)
    with pytest.raises(NodeRemoved):
        take_heartbeat(actor=ana, node_id=laptop.pk, blocks=[], state=AT_WORK)
    assert send(ana, laptop, work, body_of(work)) == 3
    with pytest.raises(NoSuchNode):
        services.remove_node(actor=ana, node_id=laptop.pk)
    assert register_node(actor=ana, name="laptop", version="1", system="").pk == laptop.pk
    assert queries.nodes(actor=ana).get() == laptop


def test_only_its_contributor_pauses_and_removes_a_node(laptop: Node) -> None:
    other = person_with(Role.CONTRIBUTOR, email="other@example.org")
    client = person_with(Role.CLIENT, email="client@example.org")
    for change in (services.pause_node, services.resume_node, services.remove_node):
        with pytest.raises(NoSuchNode):
            change(actor=other, node_id=laptop.pk)
        with pytest.raises(Forbidden):
            change(actor=client, node_id=laptop.pk)
    administrator = person_with(Role.ADMINISTRATOR, email="admin@example.org")
    assert services.pause_node(actor=administrator, node_id=laptop.pk).paused_at


def test_old_releases_are_told_what_to_do(ana: Person, laptop: Node) -> None:
    with pytest.raises(NodeTooOld, match="pip install --upgrade"):
        register_node(actor=ana, name="museum piece", version="0.0.9", system="")
    assert register_node(actor=ana, name="homemade", version="my own", system="")
    Node.objects.update(version="0.0.1")
    with pytest.raises(NodeTooOld):
        lease_block(actor=ana, node_id=laptop.pk, slots=4)


def test_country_is_what_the_owner_says(ana: Person) -> None:
    node = register_node(actor=ana, name="n", version="1", system="", country="CL")
    assert node.country == "CL"
    assert register_node(actor=ana, name="n", version="1", system="").country == "CL"
    with pytest.raises(InvalidInput):
        register_node(actor=ana, name="n", version="1", system="", country="Chile")


def test_answers_after_which_nothing_is_left_to_check_are_left_out(
    ana: Person, laptop: Node, work: Work
) -> None:
    """As when a client gave up the fetch: what was asked is no longer known, so nothing of it is stored."""
    [(url, number), *rest] = requests_of(work)
    Request.objects.filter(pk=int(number)).delete()
    forged = member("response", "http://evil.example/", number, b"HTTP/1.1 200 OK\r\n\r\nx")
    assert send(ana, laptop, work, forged + b"".join(pair(u, n) for u, n in rest)) == 2
    assert not Capture.objects.filter(url__in=[url, "http://evil.example/"]).exists()


@pytest.mark.django_db(transaction=True)
def test_block_sent_twice_at_once_is_taken_once(
    ana: Person, laptop: Node, work: Work, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by a node that lost patience while the server was slow: to two web processes, each with its own file."""
    body, barrier = body_of(work), threading.Barrier(2)
    writers = {name: WarcWriter(tmp_path / name) for name in ("first", "second")}
    monkeypatch.setattr(archive, "writer", lambda: writers[threading.current_thread().name])
    taken: list[int | str] = []

    def bring() -> None:
        barrier.wait()
        try:
            taken.append(send(ana, laptop, work, body))
        except LeaseOver:
            taken.append("over")
        finally:
            connection.close()

    threads = [threading.Thread(target=bring, name=name) for name in writers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for writer in writers.values():
        writer.close()
    assert sorted(taken, key=str) == [3, "over"]
    assert Capture.objects.count() == 3


def test_nodes_are_told_how_a_hosts_latency_counts_unless_its_delay_was_set(
    ana: Person, laptop: Node, client: Client
) -> None:
    fetches.create_fetch(actor=ana, urls=URLS)
    Host.objects.update(robots_state=RobotsState.ABSENT, robots_expires_at=timezone.now() + timedelta(days=1))
    Host.objects.filter(name="b.example").update(delay_seconds=2.5)
    _, token = create_token(actor=ana, name="laptop")
    answer = client.post(
        "/api/v1/grid/lease",
        {"node_id": str(laptop.pk), "slots": 4},
        content_type="application/json",
        headers={"Authorization": f"Bearer {token}"},
    ).json()
    told = {
        host["name"]: (host["delay_seconds"], host["latency_factor"], host["longest_delay_seconds"])
        for host in answer["hosts"]
    }
    assert told == {"a.example": (1, 5, 120), "b.example": (2.5, 0, 120)}


def test_who_waits_beside_work_of_others_comes_back_for_its_own_in_time(ana: Person, laptop: Node) -> None:
    """What is free now is for somebody else; its own host keeps a delay of a second, not the usual wait."""
    fetches.create_fetch(actor=ana, urls=["http://a.example/", "http://b.example/"])
    Request.objects.filter(host__name="a.example").update(not_owners=[ana.pk])
    Host.objects.filter(name="b.example").update(ready_at=timezone.now() + timedelta(seconds=1))
    work = lease_block(actor=ana, node_id=laptop.pk, slots=4)
    assert not work.hosts
    assert 0 < work.come_back_seconds <= 1.5


def test_who_says_goodbye_is_not_there_and_holds_nothing(ana: Person, laptop: Node) -> None:
    fetches.create_fetch(actor=ana, urls=["http://a.example/"])
    assert lease_block(actor=ana, node_id=laptop.pk, slots=4).hosts
    assert at_work().filter(pk=laptop.pk).exists()
    services.note_left(actor=ana, node_id=laptop.pk)
    laptop.refresh_from_db()
    assert not laptop.is_present
    assert not at_work().filter(pk=laptop.pk).exists()
    assert not Lease.objects.filter(expires_at__gt=timezone.now()).exists()
    with pytest.raises(NoSuchNode):
        services.note_left(
            actor=person_with(Role.CONTRIBUTOR, email="stranger@example.org"), node_id=laptop.pk
        )
    lease_block(actor=ana, node_id=laptop.pk, slots=4)
    laptop.refresh_from_db()
    assert laptop.is_present, "once it speaks again, it is"
