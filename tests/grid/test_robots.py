"""What a host's robots.txt turned out to be decides what is fetched there (RFC 9309 §2.3.1)."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.frontier.models import Host, RobotsState
from ronda.frontier.robots import MOST_SENT_CHARACTERS
from ronda.grid import fetches
from ronda.grid.leasing import Work, lease_block
from ronda.grid.models import Node
from ronda.grid.services import register_node
from tests.grid.test_uploads import send
from tests.grid.warc_bodies import failure, pair, response
from tests.people import person_with

pytestmark = pytest.mark.django_db

RULES = b"User-agent: RondaBot\nDisallow: /closed\n"


@pytest.fixture
def ana(own_archive: Path) -> Person:
    return person_with(Role.CONTRIBUTOR, Role.CLIENT)


@pytest.fixture
def laptop(ana: Person) -> Node:
    return register_node(actor=ana, name="laptop", version="1", system="Linux")


def lease(ana: Person, laptop: Node) -> Work:
    Host.objects.update(ready_at=timezone.now() - timedelta(seconds=1), backoff_until=None)
    return lease_block(actor=ana, node_id=laptop.pk, slots=4)


def after_robots(ana: Person, laptop: Node, answer: bytes | None) -> Work:
    """The next block, once robots.txt was answered so; None: it could not be had."""
    fetches.create_fetch(actor=ana, urls=["http://a.example/open", "http://a.example/closed"])
    first = lease(ana, laptop)
    [host] = first.hosts
    [request] = host.requests
    assert request.url == "http://a.example/robots.txt", "nothing else before it"
    number = f"robots-{host.host_id}"
    send(ana, laptop, first, pair(request.url, number, answer) if answer else failure(request.url, number))
    return lease(ana, laptop)


def urls_of(work: Work) -> list[str]:
    return sorted(request.url for host in work.hosts for request in host.requests)


@pytest.mark.parametrize(
    ("answer", "state", "paths"),
    [
        (response(200, RULES, "text/plain"), RobotsState.RULES, ["open"]),
        (response(200, b"", "text/plain"), RobotsState.RULES, ["closed", "open"]),
        (response(404, b"<html>"), RobotsState.ABSENT, ["closed", "open"]),
        (response(403, b"<html>"), RobotsState.ABSENT, ["closed", "open"]),
        (response(302, b"", location="http://b.example/robots.txt"), RobotsState.ABSENT, ["closed", "open"]),
        (response(500, b"oops"), RobotsState.UNREACHABLE, []),
        (response(503, RULES, "text/plain"), RobotsState.UNREACHABLE, []),
        (response(429, b""), RobotsState.UNREACHABLE, []),
        (None, RobotsState.UNREACHABLE, []),
    ],
)
def test_what_is_fetched_after(
    ana: Person, laptop: Node, answer: bytes | None, state: RobotsState, paths: list[str]
) -> None:
    work = after_robots(ana, laptop, answer)
    assert Host.objects.get().robots_state == state
    assert urls_of(work) == [f"http://a.example/{path}" for path in paths]


def test_refusal_names_the_rule(ana: Person, laptop: Node) -> None:
    after_robots(ana, laptop, response(200, RULES, "text/plain"))
    [fetch] = fetches.fetches(actor=ana)
    refused = fetch.answers.get(state="refused")
    assert (refused.url, refused.reason) == (
        "http://a.example/closed",
        "refused by robots.txt: Disallow: /closed",
    )


def test_rules_go_with_the_block(ana: Person, laptop: Node) -> None:
    """A node cannot ask us where a redirect may lead."""
    [host] = after_robots(ana, laptop, response(200, RULES, "text/plain")).hosts
    assert host.robots == RULES.decode()


def test_rules_too_long_to_send_allow_no_redirects(ana: Person, laptop: Node) -> None:
    long = RULES + b"Disallow: /x\n" * MOST_SENT_CHARACTERS
    [host] = after_robots(ana, laptop, response(200, long, "text/plain")).hosts
    assert host.robots == "User-agent: *\nDisallow: /\n"
