"""Hosts that opted out: refused at once, with the reason; what waited ends; nothing slips through."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest
from django.db import connection

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.errors import Forbidden, InvalidInput
from ronda.frontier import leases, opt_outs, purposes
from ronda.frontier.blocks import Completion, HostReport
from ronda.frontier.ending import end_unwanted
from ronda.frontier.errors import AlreadyOptedOut, NoSuchOptOut
from ronda.frontier.models import Batch, Host, HostChange, Lease, OptOut, Request
from ronda.frontier.purposes import Ended
from tests.frontier.queueing import NODE, claim, put
from tests.people import person_with

pytestmark = pytest.mark.django_db


@pytest.fixture
def director() -> Person:
    return person_with(Role.DIRECTOR)


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str, str]]:
    """What the purpose "test" was told: URL, state, reason."""
    told: list[tuple[str, str, str]] = []

    def listen(batch: Batch, ended: Sequence[Ended]) -> None:
        told.extend((one.request.url, one.outcome.state.value, one.outcome.reason) for one in ended)

    monkeypatch.setitem(purposes._listeners, "test", listen)
    return told


def test_urls_of_opted_out_hosts_are_refused_at_once_and_once(
    director: Person, heard: list[tuple[str, str, str]]
) -> None:
    opt_outs.add_opt_out(actor=director, pattern="a.example", reason="asked by mail")
    urls = ("http://a.example/", "http://a.example:8080/x", "http://sub.a.example/", "http://b.example/")
    for _ in range(2):
        batch = put(*urls)
    assert sorted(heard) == [
        ("http://a.example/", "refused", "opted out: asked by mail"),
        ("http://a.example:8080/x", "refused", "opted out: asked by mail"),
    ]
    assert (batch.total, batch.ended) == (4, 2)
    assert set(Request.objects.values_list("host__name", flat=True)) == {"sub.a.example", "b.example"}


def test_domains_cover_all_below_and_nothing_beside(
    director: Person, heard: list[tuple[str, str, str]]
) -> None:
    opt_outs.add_opt_out(actor=director, pattern="*.a.example", reason="all of it")
    put("http://a.example/", "http://x.y.a.example:81/", "http://nota.example/")
    put("http://ba.example/", "http://example/")
    assert {url for url, _state, _reason in heard} == {"http://a.example/", "http://x.y.a.example:81/"}


def test_what_waits_ends_as_refused(director: Person, heard: list[tuple[str, str, str]]) -> None:
    put(*(f"http://a.example/{n}" for n in range(5)), "http://a.example:81/", "http://b.example/")
    opt_outs.add_opt_out(actor=director, pattern="a.example", reason="no")
    assert {reason for _url, _state, reason in heard} == {"opted out: no"}
    assert len(heard) == 6
    assert [request.url for request in Request.objects.all()] == ["http://b.example/"]
    host = Host.objects.get(name="a.example")
    assert (host.queued, host.has_work, host.blocked_reason) == (0, False, "no")
    batch = Batch.objects.get()
    assert (batch.total, batch.ended) == (7, 6)


def test_what_is_being_fetched_ends_with_its_answer(
    director: Person, heard: list[tuple[str, str, str]]
) -> None:
    put("http://a.example/1", "http://a.example/2", "http://a.example/3")
    block, [leased] = claim()
    assert len(leased.requests) == 2
    opt_outs.add_opt_out(actor=director, pattern="a.example", reason="no")
    assert [url for url, _state, _reason in heard] == ["http://a.example/3"]
    first, second = (request.id for request in leased.requests)
    assert first
    assert second
    ended = leases.complete(
        completion=Completion(NODE, block, [first], [], [HostReport(leased.host_id, 0.0, 0.1)])
    )
    assert [request.id for request in ended] == [first]
    assert claim()[1] == [], "the other one came back, but its host is not asked any more"
    end_unwanted()
    assert [url for url, _state, _reason in heard] == ["http://a.example/3", "http://a.example/2"]
    assert not Request.objects.exists()


def test_removing_lets_hosts_be_fetched_again_unless_another_entry_covers_them(director: Person) -> None:
    put("http://a.example/", "http://x.a.example/")
    one = opt_outs.add_opt_out(actor=director, pattern="a.example", reason="one")
    domain = opt_outs.add_opt_out(actor=director, pattern="*.a.example", reason="all")
    opt_outs.remove_opt_out(actor=director, opt_out_id=one.pk)
    assert set(Host.objects.values_list("blocked_reason", flat=True)) == {"all"}
    opt_outs.remove_opt_out(actor=director, opt_out_id=domain.pk)
    assert set(Host.objects.values_list("blocked_reason", flat=True)) == {""}
    put("http://a.example/again")
    assert len(claim()[1]) == 1
    assert [(c.subject, c.former, c.value) for c in HostChange.objects.order_by("pk")] == [
        ("a.example", "", "one"),
        ("*.a.example", "", "all"),
        ("a.example", "one", ""),
        ("*.a.example", "all", ""),
    ]
    with pytest.raises(NoSuchOptOut):
        opt_outs.remove_opt_out(actor=director, opt_out_id=domain.pk)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (" WWW.Example.ORG. ", "www.example.org"),
        ("*.Bücher.example", "*.xn--bcher-kva.example"),
        ("127.0.0.1", "127.0.0.1"),
        ("[::1]", "[::1]"),
    ],
)
def test_names_are_kept_in_one_form(director: Person, given: str, kept: str) -> None:
    assert opt_outs.add_opt_out(actor=director, pattern=given, reason="x").pattern == kept


@pytest.mark.parametrize(
    "pattern",
    ["", "*", "*.", "*.org", "*.*.example.org", "a.example:80x", "a.example:8080", "a.example/path",
     "user@a.example", "http://a.example/", "a b", "a\0b", "x" * 300, "a.example?x", "*a.example"],
)  # fmt: skip
def test_what_is_no_host_is_refused(director: Person, pattern: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        opt_outs.add_opt_out(actor=director, pattern=pattern, reason="x")
    assert refused.value.field == "pattern"
    assert not OptOut.objects.exists()


def test_reason_is_a_must_and_entries_stand_once(director: Person) -> None:
    for reason in ("", "  ", "x" * 201, "two\nlines"):
        with pytest.raises(InvalidInput):
            opt_outs.add_opt_out(actor=director, pattern="a.example", reason=reason)
    opt_outs.add_opt_out(actor=director, pattern="a.example", reason="x")
    with pytest.raises(AlreadyOptedOut):
        opt_outs.add_opt_out(actor=director, pattern="A.example", reason="y")


def test_directors_only() -> None:
    client = person_with(Role.CLIENT)
    with pytest.raises(Forbidden):
        opt_outs.add_opt_out(actor=client, pattern="a.example", reason="x")
    with pytest.raises(Forbidden):
        opt_outs.remove_opt_out(actor=client, opt_out_id=1)
    with pytest.raises(Forbidden):
        opt_outs.opt_outs(actor=client)


@pytest.mark.django_db(transaction=True)
def test_nothing_slips_in_while_the_list_changes() -> None:
    """Queueing and opting out at the same time: whichever comes first, no URL of the host is left in the queue."""
    director = person_with(Role.DIRECTOR)
    begin = threading.Barrier(5)

    def queue(number: int) -> None:
        begin.wait()
        for turn in range(10):
            put(*(f"http://h{n}.a.example/{number}/{turn}" for n in range(5)), owner=f"{number} {turn}")
        connection.close()

    threads = [threading.Thread(target=queue, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    begin.wait()
    opt_outs.add_opt_out(actor=director, pattern="*.a.example", reason="no")
    for thread in threads:
        thread.join()
    assert not Request.objects.exists()
    assert not Lease.objects.exists()
    assert all(batch.total == batch.ended == 5 for batch in Batch.objects.all())
    assert not Host.objects.filter(queued__gt=0).exists()
