"""Whose nodes are given what is for trusted nodes, and told what the archive holds."""

from __future__ import annotations

from ronda.accounts.models import Person, RoleGrant
from ronda.accounts.roles import Role
from ronda.frontier import services as frontier
from ronda.frontier.blocks import Known, Wanted
from ronda.trust import rules, standings
from ronda.trust.models import Standing
from ronda.trust.rules import Score
from tests.trust.crowd import Contributor

URL = "http://kept.example/page"


def queue() -> None:
    batch = frontier.open_batch(purpose="kept", owner="1")
    known = Known(1, "sha256:00", '"v1"', "yesterday")
    frontier.put_requests(
        batch=batch, wanted=[Wanted(URL, "kept.example", "http", is_for_trusted=True, known=known)]
    )


def set_score(someone: Contributor, score: Score) -> None:
    standings.keep(Standing.objects.get_or_create(node=someone.node)[0], score)


def test_strangers_are_trusted_once_they_passed_enough_checks(client: Person) -> None:
    ana, bob = Contributor("ana"), Contributor("bob")
    queue()
    set_score(ana, Score(passed=rules.TRUSTED_FROM - 1, agreed=rules.AGREED_FROM))
    assert ana.lease()["hosts"] == []
    assert bob.lease()["hosts"] == []
    set_score(ana, Score(passed=rules.TRUSTED_FROM, agreed=rules.AGREED_FROM))
    [host] = ana.lease()["hosts"]
    [request] = host["requests"]
    assert request.pop("id")
    assert request == {"url": URL, "etag": '"v1"', "last_modified": "yesterday", "digest": "sha256:00"}


def test_nobody_else_is_told(client: Person) -> None:
    ana, _bob = Contributor("ana"), Contributor("bob")
    batch = frontier.open_batch(purpose="kept", owner="1")
    known = Known(1, "sha256:00", '"v1"')
    frontier.put_requests(batch=batch, wanted=[Wanted(URL, "kept.example", "http", known=known)])
    [host] = ana.lease()["hosts"]
    [request] = host["requests"]
    assert set(request) == {"id", "url"}


def test_administrators_machines_are_trusted_from_the_first_second(client: Person, canary: str) -> None:
    ana, _bob = Contributor("ana"), Contributor("bob")
    queue()
    assert ana.lease()["hosts"] == []
    RoleGrant.objects.create(person=ana.person, role=Role.ADMINISTRATOR)
    hosts = ana.lease()["hosts"]
    assert URL in {request["url"] for host in hosts for request in host["requests"]}


def test_alone_there_is_no_choice(client: Person) -> None:
    ana = Contributor("ana")
    queue()
    assert len(ana.lease()["hosts"]) == 1


def test_beside_a_liar_nobody_is_trusted(client: Person) -> None:
    ana, other = Contributor("ana"), Contributor("bob")
    Standing.objects.create(node=other.node, state="quarantined", caught_by="probe")
    type(other.node).objects.filter(pk=other.node.pk).update(owner=ana.person)
    RoleGrant.objects.create(person=ana.person, role=Role.ADMINISTRATOR)
    queue()
    assert ana.lease()["hosts"] == []
