"""Answers that a node's own cap cut off: fetched again by one that takes more, and never paid as if they were whole."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.credits import pricing, services
from ronda.credits.amounts import MICROS
from ronda.credits.ledger import account, balance_of
from ronda.credits.models import AccountKind
from ronda.frontier.models import Request
from ronda.frontier.purposes import CUT_OFF
from ronda.grid import fetches
from ronda.grid.fetches_api import as_result
from ronda.grid.models import Fetch, FetchAnswer, Node
from ronda.grid.voiding import void_answers_of
from ronda.policies.services import change_setting
from tests.grid.warc_bodies import AGENT, member, response
from tests.people import person_with
from tests.trust.crowd import Contributor

pytestmark = pytest.mark.django_db

URL = "http://big.example/film"
WHOLE = response(200, b"x" * 5000)
CUT = WHOLE[:-3000]


@pytest.fixture(autouse=True)
def _nothing_is_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ronda.trust.checking.sample", lambda *given: None)


@pytest.fixture
def fetch(client: Person) -> Fetch:
    boss = person_with(Role.DIRECTOR, email="director@example.org")
    change_setting(actor=boss, name="price_per_thousand", value="1000")
    change_setting(actor=boss, name="operator_share", value="0")
    services.top_up(actor=boss, email=client.email, amount=Decimal(10))
    return fetches.create_fetch(actor=client, urls=[URL])


class Small(Contributor):
    """Its owner lets it take a thousand bytes of an answer, or a second."""

    def __init__(self, name: str, **caps: float) -> None:
        super().__init__(name)
        caps = caps or {"response_bytes": 1000}
        status, _ = self.call("POST", "/grid/register", {"name": name, "version": "1", **caps})
        assert status == 200


def bring(node: Contributor, block: bytes, truncated: str = "") -> int:
    """One block, all of it answered like this."""
    work = node.lease()
    body = b""
    for request in (request for host in work["hosts"] for request in host["requests"]):
        asked = f"GET {URL} HTTP/1.1\r\nUser-Agent: {AGENT}\r\n\r\n".encode()
        body += member("response", request["url"], request["id"], block, WARC_Truncated=truncated)
        body += member("request", request["url"], request["id"], asked)
    if not body:
        return 0
    status, answer = node.call("PUT", f"/grid/blocks/{work['block']}?node_id={node.node.pk}", body)
    assert status == 200, answer
    return int(answer["accepted"])


def pending(person: Contributor) -> Decimal:
    return Decimal(balance_of(account(AccountKind.PENDING, person.person))) / MICROS


def results(client: Person, fetch: Fetch) -> list[dict[str, Any]]:
    return [as_result(answer) for answer in fetches.answers(actor=client, fetch_id=fetch.pk)]


def test_who_takes_more_fetches_it_again_and_is_paid(client: Person, fetch: Fetch) -> None:
    eve, ana = Small("eve"), Contributor("ana")
    assert bring(eve, CUT, "length") == 0
    assert pending(eve) == 0
    assert bring(eve, CUT, "length") == 0, "it is not for those who would cut it off again"
    assert Request.objects.count() == 1
    assert bring(ana, WHOLE) == 1
    assert pending(ana) == 1
    [told] = results(client, fetch)
    assert (told["state"], told["reason"], told["truncated"]) == ("fetched", None, None)


def test_another_machine_of_the_same_person_will_do(client: Person, fetch: Fetch) -> None:
    eve = Small("eve")
    small = eve.node
    eve.node = eve.register("larger")
    larger, eve.node = eve.node, small
    assert bring(eve, CUT, "length") == 0
    eve.node = larger
    assert bring(eve, WHOLE) == 1
    assert pending(eve) == 1


def test_where_nobody_takes_more_it_is_delivered_as_cut_and_costs_nothing(
    client: Person, fetch: Fetch
) -> None:
    eve = Small("eve")
    assert bring(eve, CUT, "length") == 1
    assert pending(eve) == 0
    [told] = results(client, fetch)
    assert (told["state"], told["status"], told["reason"]) == ("fetched", 200, CUT_OFF)
    assert told["truncated"] == "length"
    pricing.close_ended_fetches()
    assert balance_of(account(AccountKind.BALANCE, client)) == 10 * MICROS
    assert void_answers_of(node=eve.node, after=0, reason="wrong", not_owners=()) == 1
    assert balance_of(account(AccountKind.BALANCE, client)) == 10 * MICROS, "nothing was paid for it"


def test_who_takes_less_time_than_we_allow_is_the_same(client: Person, fetch: Fetch) -> None:
    eve, ana = Small("eve", response_seconds=1), Contributor("ana")
    assert bring(eve, CUT, "time") == 0
    assert bring(ana, WHOLE) == 1
    assert pending(ana) == 1


def test_what_our_own_cap_cuts_off_is_as_whole_as_it_can_be(
    client: Person, fetch: Fetch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Marked, counted, and not asked for again, also of a node that would have cut it off sooner."""
    monkeypatch.setattr("ronda.grid.cut_off.MOST_BYTES", 2000)
    ana, _bob = Contributor("ana"), Contributor("bob")
    assert bring(ana, CUT, "length") == 1
    assert pending(ana) == 1
    [told] = results(client, fetch)
    assert (told["reason"], told["truncated"]) == (None, "length")


@pytest.mark.parametrize("truncated", ["time", "disconnect", "unspecified"])
def test_what_the_host_breaks_off_is_its_answer(client: Person, fetch: Fetch, truncated: str) -> None:
    ana, _bob = Contributor("ana"), Contributor("bob")
    assert bring(ana, CUT, truncated) == 1
    assert pending(ana) == 1
    assert FetchAnswer.objects.get().reason == ""


def test_what_unfolds_to_too_much_is_cut_by_everybody(client: Person, fetch: Fetch) -> None:
    ana, _bob = Contributor("ana"), Contributor("bob")
    bomb = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5000\r\n\r\n"
    assert bring(ana, bomb, "length") == 1
    assert pending(ana) == 1


def test_who_says_it_takes_all_and_does_not_is_not_paid_either(client: Person, fetch: Fetch) -> None:
    """And others are asked, not its own person again."""
    eve, ana = Contributor("eve"), Contributor("ana")
    assert bring(eve, CUT, "length") == 0
    assert bring(eve, CUT, "length") == 0
    assert Request.objects.get().not_owners == [eve.person.pk]
    assert bring(ana, WHOLE) == 1
    assert (pending(eve), pending(ana)) == (0, 1)


def test_caps_are_forgotten_with_the_next_registration(client: Person) -> None:
    eve = Small("eve")
    assert Node.objects.get(pk=eve.node.pk).response_bytes == 1000
    eve.register("eve")
    assert Node.objects.get(pk=eve.node.pk).response_bytes is None


def test_all_ways_are_tried_only_so_often(client: Person, fetch: Fetch) -> None:
    eve, _ana = Small("eve"), Contributor("ana")
    change_setting(actor=person_with(Role.DIRECTOR, email="other@example.org"), name="most_attempts", value=1)
    assert bring(eve, CUT, "length") == 1
