"""What a host's robots.txt turned out to be decides what is fetched there (RFC 9309 §2.3.1)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.frontier.models import Host, Request, RobotsState
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
def bob(ana: Person) -> Person:
    return person_with(Role.CONTRIBUTOR, email="bob@example.org")


@pytest.fixture
def laptop(ana: Person) -> Node:
    return register_node(actor=ana, name="laptop", version="1", system="Linux")


def lease(ana: Person, laptop: Node) -> Work:
    Host.objects.update(ready_at=timezone.now() - timedelta(seconds=1), backoff_until=None)
    return lease_block(actor=ana, node_id=laptop.pk, slots=4)


def after_robots(ana: Person, laptop: Node, answer: bytes) -> Work:
    """The next block, once robots.txt was answered so."""
    fetches.create_fetch(actor=ana, urls=["http://a.example/open", "http://a.example/closed"])
    first = lease(ana, laptop)
    [host] = first.hosts
    [request] = host.requests
    assert request.url == "http://a.example/robots.txt", "nothing else before it"
    number = f"robots-{host.host_id}"
    send(ana, laptop, first, pair(request.url, number, answer))
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
        (response(302, b"", location="http://a.example/robots.txt"), RobotsState.ABSENT, ["closed", "open"]),
        (response(302, b"", location="http://10.0.0.1/robots.txt"), RobotsState.ABSENT, ["closed", "open"]),
        (response(500, b"oops"), RobotsState.UNREACHABLE, []),
        (response(503, RULES, "text/plain"), RobotsState.UNREACHABLE, []),
        (response(429, b""), RobotsState.UNREACHABLE, []),
    ],
)
def test_what_is_fetched_after(
    ana: Person, laptop: Node, answer: bytes, state: RobotsState, paths: list[str]
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


def ask_for_robots(person: Person, node: Node, answer: Callable[[str, str], bytes]) -> list[str]:
    """One block, each robots.txt in it answered; returns which they were."""
    work = lease(person, node)
    bodies = []
    for host in work.hosts:
        for request in host.requests:
            assert request.id is None, "nothing else before it"
            bodies.append(answer(request.url, f"robots-{host.host_id}"))
    if bodies:
        send(person, node, work, b"".join(bodies))
    return urls_of(work)


def no_name(url: str, number: str) -> bytes:
    return failure(url, number, "dns")


def told(url: str, number: str) -> bytes:
    return pair(url, number, response(200, RULES, "text/plain"))


def outcomes(client: Person) -> dict[str, tuple[str, str]]:
    [fetch] = fetches.fetches(actor=client)
    return {answer.url: (answer.state, answer.reason) for answer in fetch.answers.all()}


def test_host_that_is_not_there_ends_as_failed_with_the_true_reason(ana: Person, laptop: Node) -> None:
    fetches.create_fetch(actor=ana, urls=["http://a.example/1", "http://a.example/2"])
    for turn in range(3):
        assert ask_for_robots(ana, laptop, no_name) == ["http://a.example/robots.txt"], turn
        assert outcomes(ana) == {}
    assert urls_of(lease(ana, laptop)) == []
    assert set(outcomes(ana).values()) == {("failed", "dns")}
    assert not Request.objects.exists()


def test_node_without_network_keeps_nothing_from_others(ana: Person, laptop: Node) -> None:
    """Its word is not asked for twice while somebody else is there, and theirs counts."""
    bob = person_with(Role.CONTRIBUTOR, email="bob@example.org")
    desktop = register_node(actor=bob, name="desktop", version="1", system="")
    second = register_node(actor=ana, name="second", version="1", system="")
    names = [f"http://h{n}.example/robots.txt" for n in range(4)]
    fetches.create_fetch(actor=ana, urls=[f"http://h{n}.example/open" for n in range(4)])
    assert ask_for_robots(ana, laptop, no_name) == names
    assert ask_for_robots(ana, laptop, no_name) == []
    assert ask_for_robots(ana, second, no_name) == [], "of the same person, on the same line"
    assert ask_for_robots(bob, desktop, told) == names
    assert outcomes(ana) == {}
    assert {f"http://h{n}.example/open" for n in range(4)} <= set(urls_of(lease(bob, desktop)))


def test_urls_a_node_could_not_reach_go_to_others(ana: Person, laptop: Node) -> None:
    bob = person_with(Role.CONTRIBUTOR, email="bob@example.org")
    desktop = register_node(actor=bob, name="desktop", version="1", system="")
    fetches.create_fetch(actor=ana, urls=["http://a.example/open"])
    assert ask_for_robots(bob, desktop, told)
    assert ask_for_robots(ana, laptop, told)
    work = lease(ana, laptop)
    [request] = [r for host in work.hosts for r in host.requests if r.url == "http://a.example/open"]
    send(ana, laptop, work, failure(request.url, str(request.id), "dns"))
    Request.objects.update(not_before=timezone.now())
    assert urls_of(lease(ana, laptop)) == []
    assert "http://a.example/open" in urls_of(lease(bob, desktop))


def test_those_who_are_there_and_never_ask_are_not_waited_for(ana: Person, laptop: Node) -> None:
    register_node(
        actor=person_with(Role.CONTRIBUTOR, email="bob@example.org"), name="rests", version="1", system=""
    )
    fetches.create_fetch(actor=ana, urls=["http://a.example/"])
    assert ask_for_robots(ana, laptop, no_name)
    assert not ask_for_robots(ana, laptop, no_name)
    Host.objects.update(avoided_until=timezone.now())
    assert ask_for_robots(ana, laptop, no_name)


class TestUnprovenNodes:
    """Somebody new says that nothing may be fetched: that is asked of somebody else."""

    @pytest.mark.parametrize(
        "shut", [response(500, b""), response(200, b"User-agent: *\nDisallow: /\n", "text/plain")]
    )
    def test_one_alone_shuts_no_host(self, ana: Person, laptop: Node, bob: Person, shut: bytes) -> None:
        desktop = register_node(actor=bob, name="desktop", version="1", system="")
        fetches.create_fetch(actor=ana, urls=["http://a.example/open"])
        assert ask_for_robots(ana, laptop, lambda url, number: pair(url, number, shut))
        assert ask_for_robots(ana, laptop, told) == [], "it had its say"
        assert Host.objects.get().robots_state == RobotsState.UNKNOWN
        assert ask_for_robots(bob, desktop, told)
        # Beside it, perhaps, a second copy to check the others by.
        assert "http://a.example/open" in urls_of(lease(ana, laptop))

    def test_two_people_shut_it(self, ana: Person, laptop: Node, bob: Person) -> None:
        desktop = register_node(actor=bob, name="desktop", version="1", system="")
        register_node(actor=bob, name="another", version="1", system="")
        fetches.create_fetch(actor=ana, urls=["http://a.example/open"])
        for person, node in ((ana, laptop), (bob, desktop)):
            assert ask_for_robots(person, node, lambda url, number: pair(url, number, response(500, b"")))
        assert Host.objects.get().robots_state == RobotsState.UNREACHABLE
        Host.objects.update(robots_state=RobotsState.ELSEWHERE, robots_expires_at=None)
        assert ask_for_robots(ana, laptop, told), "asked again where a director wants it so"

    def test_their_word_is_good_for_an_hour(self, ana: Person, laptop: Node, bob: Person) -> None:
        desktop = register_node(actor=bob, name="desktop", version="1", system="")
        fetches.create_fetch(actor=ana, urls=["http://a.example/open"])
        assert ask_for_robots(ana, laptop, told)
        assert Host.objects.get().robots_state == RobotsState.UNKNOWN, "one alone is not enough"
        assert ask_for_robots(bob, desktop, told)
        expires_at = Host.objects.get().robots_expires_at
        assert expires_at is not None
        assert expires_at < timezone.now() + timedelta(hours=1, seconds=1)
        Host.objects.update(robots_expires_at=timezone.now())
        assert ask_for_robots(bob, desktop, told) == [], "somebody else is asked then"
        assert ask_for_robots(ana, laptop, told)
        assert Host.objects.get().robots_state == RobotsState.RULES, "it is as it was: that is enough"

    @pytest.mark.parametrize(
        "lie", [response(404, b""), response(200, b"User-agent: *\nDisallow: /nothing\n", "text/plain")]
    )
    def test_one_alone_opens_no_host(self, ana: Person, laptop: Node, bob: Person, lie: bytes) -> None:
        desktop = register_node(actor=bob, name="desktop", version="1", system="")
        fetches.create_fetch(actor=ana, urls=["http://a.example/open", "http://a.example/closed"])
        assert ask_for_robots(ana, laptop, lambda url, number: pair(url, number, lie))
        assert urls_of(lease(ana, laptop)) == []
        assert ask_for_robots(bob, desktop, told)
        assert Host.objects.get().robots_text == RULES.decode()
        assert "http://a.example/closed" not in urls_of(lease(ana, laptop))
        assert outcomes(ana)["http://a.example/closed"][0] == "refused"

    def test_where_nobody_else_comes_in_time_one_is_enough(
        self, ana: Person, laptop: Node, bob: Person
    ) -> None:
        register_node(actor=bob, name="desktop", version="1", system="")
        fetches.create_fetch(actor=ana, urls=["http://a.example/open"])
        assert ask_for_robots(ana, laptop, told)
        assert ask_for_robots(ana, laptop, told) == []
        Host.objects.update(robots_others_until=timezone.now() - timedelta(seconds=1))
        assert ask_for_robots(ana, laptop, told)
        assert Host.objects.get().robots_state == RobotsState.RULES

    def test_retry_after_of_a_day_counts_as_a_quarter_of_an_hour(
        self, ana: Person, laptop: Node, bob: Person
    ) -> None:
        register_node(actor=bob, name="desktop", version="1", system="")
        fetches.create_fetch(actor=ana, urls=["http://a.example/"])
        busy = b"HTTP/1.1 503 Busy\r\nRetry-After: 86400\r\nContent-Length: 0\r\n\r\n"
        assert ask_for_robots(ana, laptop, lambda url, number: pair(url, number, busy))
        until = Host.objects.get().backoff_until
        assert until is not None
        assert until < timezone.now() + timedelta(minutes=15, seconds=1)


class TestElsewhere:
    """RFC 9309 §2.3.1.2: redirects are followed, also to other hosts, and the rules hold for the first one."""

    @pytest.fixture
    def on_commit(self, django_capture_on_commit_callbacks: Any) -> Any:
        return partial(django_capture_on_commit_callbacks, execute=True)

    def go(self, ana: Person, laptop: Node, on_commit: Any, web: dict[str, bytes]) -> list[str]:
        """All robots.txt files and their targets, until a page is to be fetched or nothing is left; what was asked."""
        asked: list[str] = []
        while len(asked) < 20:
            work = lease(ana, laptop)
            urls = urls_of(work)
            if not urls or any(url.startswith("http://a.example/p") for url in urls):
                return asked
            asked += urls
            bodies = [
                pair(
                    r.url, str(r.id) if r.id else f"robots-{host.host_id}", web.get(r.url, response(404, b""))
                )
                for host in work.hosts
                for r in host.requests
            ]
            with on_commit():
                send(ana, laptop, work, b"".join(bodies))
        raise AssertionError(asked)

    def test_rules_of_the_target_hold_for_the_first_host(
        self, ana: Person, laptop: Node, on_commit: Any
    ) -> None:
        fetches.create_fetch(actor=ana, urls=["http://a.example/page", "http://a.example/closed"])
        web = {
            "http://a.example/robots.txt": response(301, b"", location="http://b.example/robots.txt"),
            "http://b.example/robots.txt": response(301, b"", location="//c.example/rules?x"),
            "http://c.example/robots.txt": response(
                200, b"User-agent: *\nDisallow: /private\n", "text/plain"
            ),
            "http://c.example/rules?x": response(200, RULES, "text/plain"),
        }
        asked = self.go(ana, laptop, on_commit, web)
        assert asked[0] == "http://a.example/robots.txt"
        assert "http://c.example/rules?x" in asked
        host = Host.objects.get(name="a.example")
        assert (host.robots_state, host.robots_text) == (RobotsState.RULES, RULES.decode())
        assert outcomes(ana) == {
            "http://a.example/closed": ("refused", "refused by robots.txt: Disallow: /closed")
        }

    @pytest.mark.parametrize(
        ("there", "state"),
        [
            (response(404, b""), RobotsState.ABSENT),
            (response(500, b""), RobotsState.UNREACHABLE),
            (response(302, b"", location="http://a.example/robots.txt"), RobotsState.ABSENT),
            (response(302, b"", location="http://169.254.169.254/"), RobotsState.ABSENT),
        ],
    )
    def test_where_it_ends(
        self, ana: Person, laptop: Node, on_commit: Any, there: bytes, state: RobotsState
    ) -> None:
        fetches.create_fetch(actor=ana, urls=["http://a.example/page"])
        web = {
            "http://a.example/robots.txt": response(302, b"", location="http://b.example/robots.txt"),
            "http://b.example/robots.txt": there,
        }
        self.go(ana, laptop, on_commit, web)
        assert Host.objects.get(name="a.example").robots_state == state

    def test_five_hops_and_no_more(self, ana: Person, laptop: Node, on_commit: Any) -> None:
        fetches.create_fetch(actor=ana, urls=["http://a.example/page"])
        web = {"http://a.example/robots.txt": response(302, b"", location="http://h0.example/r")}
        for n in range(9):
            web[f"http://h{n}.example/r"] = response(302, b"", location=f"http://h{n + 1}.example/r")
        asked = self.go(ana, laptop, on_commit, web)
        assert [url for url in asked if url.endswith("/r")] == [f"http://h{n}.example/r" for n in range(5)]
        assert Host.objects.get(name="a.example").robots_state == RobotsState.ABSENT

    def test_where_a_newcomer_says_it_stands_is_confirmed(
        self, ana: Person, laptop: Node, bob: Person, on_commit: Any
    ) -> None:
        """Else it would lead us to rules of its own choosing, which the most honest node would then bring."""
        tower = register_node(actor=bob, name="tower", version="1", system="")
        fetches.create_fetch(actor=ana, urls=["http://a.example/page"])
        lie = {"http://a.example/robots.txt": response(302, b"", location="http://evil.example/robots.txt")}
        self._bring(ana, laptop, on_commit, lie)
        host = Host.objects.get(name="a.example")
        assert host.robots_state != RobotsState.ELSEWHERE
        truth = {"http://a.example/robots.txt": response(200, RULES, "text/plain")}
        self._bring(bob, tower, on_commit, truth)
        host.refresh_from_db()
        assert (host.robots_state, host.robots_text) == (RobotsState.RULES, RULES.decode())

    def test_what_a_newcomer_says_stands_there_is_confirmed(
        self, ana: Person, laptop: Node, bob: Person, on_commit: Any
    ) -> None:
        tower = register_node(actor=bob, name="tower", version="1", system="")
        fetches.create_fetch(actor=ana, urls=["http://a.example/page"])
        there = "http://b.example/rules"
        web = {"http://a.example/robots.txt": response(302, b"", location=there)}
        for person, node in ((ana, laptop), (bob, tower)):
            self._bring(person, node, on_commit, web)
        host = Host.objects.get(name="a.example")
        assert (host.robots_state, host.robots_way) == (RobotsState.ELSEWHERE, [there])
        Host.objects.filter(name="b.example").update(
            robots_state=RobotsState.ABSENT, robots_expires_at=timezone.now() + timedelta(days=1)
        )
        self._bring(ana, laptop, on_commit, {there: response(404, b"")})
        host.refresh_from_db()
        assert host.robots_state == RobotsState.ELSEWHERE, "one alone opens no host"
        assert there not in urls_of(lease(ana, laptop)), "nor does the same one twice"
        self._bring(bob, tower, on_commit, {there: response(200, RULES, "text/plain")})
        host.refresh_from_db()
        assert (host.robots_state, host.robots_text) == (RobotsState.RULES, RULES.decode())

    def _bring(self, person: Person, node: Node, on_commit: Any, web: dict[str, bytes]) -> None:
        """What the node says of these; beside them there may be second copies to check others by, which it leaves."""
        work = lease(person, node)
        asked = {
            request.url: str(request.id) if request.id else f"robots-{host.host_id}"
            for host in work.hosts
            for request in host.requests
        }
        assert asked.keys() >= web.keys()
        body = b"".join(pair(url, asked[url], answer) for url, answer in web.items())
        with on_commit():
            send(person, node, work, body)
