"""Clients pay, contributors earn: the grid document's example, and everything that can go differently."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.db.models import Sum
from django.test import Client
from django.utils import timezone

from ronda.accounts import services as accounts
from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.credits import pricing, queries, services, settling
from ronda.credits.amounts import MICROS
from ronda.credits.errors import BalanceTooSmall, KeyTaken, NotThatMuch
from ronda.credits.ledger import account, balance_of
from ronda.credits.models import AccountKind, Entry, Transfer
from ronda.errors import Forbidden, InvalidInput
from ronda.frontier.models import Batch, Request
from ronda.grid import fetches
from ronda.grid.models import Fetch, FetchAnswer, Node
from ronda.grid.services import remove_node
from ronda.grid.voiding import replace_answer, void_answers_of
from ronda.policies.services import change_setting
from ronda.trust import judging, last_looks, standings
from ronda.trust.models import Check, CheckCopy, Probe, Standing
from ronda.trust.rules import Score
from ronda.trust.services import take_back_answers_of_liars
from tests.grid.warc_bodies import failure, pair, response
from tests.people import person_with
from tests.trust.crowd import Contributor, a_lie, the_truth

pytestmark = pytest.mark.django_db


@pytest.fixture
def director(client: Person) -> Person:
    """Sets the price of the grid document: 28 for a thousand, 30 % for the operator."""
    boss = person_with(Role.DIRECTOR, email="director@example.org")
    change_setting(actor=boss, name="price_per_thousand", value="28")
    change_setting(actor=boss, name="operator_share", value="30")
    return boss


def top_up(director: Person, person: Person, amount: str) -> None:
    services.top_up(actor=director, email=person.email, amount=Decimal(amount))


def held(person: Person | None, kind: AccountKind) -> Decimal:
    return Decimal(balance_of(account(kind, person))) / MICROS


def urls(count: int) -> list[str]:
    return [f"http://h{number % 40}.example/{number}" for number in range(count)]


@pytest.fixture(autouse=True)
def _adds_up() -> Iterator[None]:
    """After every test: every transfer adds up to nothing, and so do all of them."""
    yield
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    assert not Entry.objects.aggregate(total=Sum("micros"))["total"]


def test_example_of_the_document(client: Person, director: Person) -> None:
    """Clients pay 28; 8.40 stay with the operator; 19.60 go to contributors by how many URLs each had answered."""
    top_up(director, client, "28")
    people = [Contributor(name) for name in ("ana", "bob", "cem")]
    # Nobody is sampled: this is about money.
    _trust(*people)
    fetch = fetches.create_fetch(actor=client, urls=urls(1000))
    assert held(client, AccountKind.BALANCE) == 0
    assert held(client, AccountKind.RESERVED) == 28
    while Request.objects.exists():
        for person in people:
            work = person.lease()
            if work["hosts"]:
                assert person.bring(work)[0] == 200
    pricing.close_ended_fetches()
    assert held(client, AccountKind.RESERVED) == 0
    assert held(None, AccountKind.OPERATOR) == Decimal("8.40")
    earned = {person.name: held(person.person, AccountKind.PENDING) for person in people}
    answered = {
        person.name: FetchAnswer.objects.filter(fetch=fetch, node=person.node).count() for person in people
    }
    assert sum(answered.values()) == 1000
    assert min(answered.values()) > 0
    assert sum(earned.values()) == Decimal("19.60")
    for name, amount in earned.items():
        assert abs(amount - Decimal("19.60") * answered[name] / 1000) < Decimal("0.0001")


def _trust(*people: Contributor) -> None:
    from ronda.trust.models import Standing

    for person in people:
        Standing.objects.create(
            node=person.node,
            replicated=10**9,
            consecutive_valid=10**9,
            agreed=10**9,
            passed=100,
            state="trusted",
        )


def _vouch(*people: Contributor) -> None:
    """A check was passed after all that they brought so far."""
    for person in people:
        standings.keep(
            standing := standings.locked([person.node.pk])[person.node.pk], Score(passed=100, agreed=100)
        )
        standings.vouch(standing)
        standing.save()


@pytest.fixture(autouse=True)
def _nothing_is_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ronda.trust.rules.LEAST_RATE", 0.0)


def test_without_balance_nothing_is_fetched(client: Person, director: Person) -> None:
    top_up(director, client, "0.05")
    with pytest.raises(BalanceTooSmall, match=r"2 URLs cost 0\.056 credits; your balance is 0\.05"):
        fetches.create_fetch(actor=client, urls=urls(2))
    assert not Request.objects.exists()
    assert not Fetch.objects.exists()
    assert not Batch.objects.exists()
    _token, secret = accounts.create_token(actor=client, name="t")
    reply = Client().post(
        "/api/v1/fetches",
        {"urls": urls(2)},
        content_type="application/json",
        headers={"Authorization": f"Bearer {secret}"},
    )
    assert reply.status_code == 402
    assert reply.headers["Content-Type"] == "application/problem+json"
    assert "balance" in reply.json()["detail"]
    fetches.create_fetch(actor=client, urls=urls(1))


def test_free_of_charge_leaves_no_trace(client: Person) -> None:
    ana = Contributor("ana")
    fetches.create_fetch(actor=client, urls=urls(5))
    assert ana.work()[0] == 200
    pricing.close_ended_fetches()
    settling.settle_matured()
    assert not Transfer.objects.exists()


def test_what_was_not_delivered_is_returned(client: Person, director: Person) -> None:
    """A 404 is an answer; a failure, a 503 and a refusal are not."""
    top_up(director, client, "1")
    ana = Contributor("ana")
    _trust(ana)
    fetches.create_fetch(actor=client, urls=[*urls(4), "http://user@h.example/"])
    assert held(client, AccountKind.RESERVED) == Decimal("0.112")
    for _ in range(3):
        work = ana.lease()
        body = b""
        for request in (request for host in work["hosts"] for request in host["requests"]):
            match request["url"].rpartition("/")[2]:
                case "0":
                    body += pair(request["url"], request["id"], the_truth(request["url"]))
                case "1":
                    body += pair(request["url"], request["id"], response(404, b"no"))
                case "2":
                    body += failure(request["url"], request["id"])
                case _:
                    body += pair(request["url"], request["id"], response(503, b"busy"))
        assert ana.call("PUT", f"/grid/blocks/{work['block']}?node_id={ana.node.pk}", body)[0] == 200
    assert not Request.objects.exists()
    pricing.close_ended_fetches()
    pricing.close_ended_fetches()
    assert held(client, AccountKind.RESERVED) == 0
    assert held(client, AccountKind.BALANCE) == Decimal("1") - 2 * Decimal("0.028")
    assert held(ana.person, AccountKind.PENDING) == 2 * Decimal("0.0196")


def test_archive_answers_cost_nothing(client: Person, director: Person) -> None:
    top_up(director, client, "1")
    ana = Contributor("ana")
    _trust(ana)
    fetches.create_fetch(actor=client, urls=urls(2))
    assert ana.work()[0] == 200
    before = held(client, AccountKind.BALANCE)
    again = fetches.create_fetch(actor=client, urls=urls(2), max_age_seconds=3600)
    assert again.is_done
    assert held(client, AccountKind.BALANCE) == before


def test_nothing_settles_while_a_machine_of_theirs_is_in_quarantine(
    client: Person, director: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long ago it was vouched for."""
    top_up(director, client, "1")
    eve = Contributor("eve")
    _trust(eve)
    fetches.create_fetch(actor=client, urls=urls(10))
    assert eve.work()[0] == 200
    _vouch(eve)
    standing = standings.locked([eve.node.pk])[eve.node.pk]
    standings.keep(standing, Score(caught_by="votes"))
    _pass_time(monkeypatch, hours=25)
    settling.settle_matured()
    assert held(eve.person, AccountKind.SETTLED) == 0
    standings.keep(standing, Score())
    settling.settle_matured()
    assert held(eve.person, AccountKind.SETTLED) == Decimal("0.196"), "once it is lifted"


def test_earnings_settle_after_the_audit_window(
    client: Person, director: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    top_up(director, client, "1")
    ana = Contributor("ana")
    _trust(ana)
    fetches.create_fetch(actor=client, urls=urls(10))
    assert ana.work()[0] == 200
    _vouch(ana)
    settling.settle_matured()
    assert held(ana.person, AccountKind.SETTLED) == 0
    _pass_time(monkeypatch, hours=25)
    settling.settle_matured()
    settling.settle_matured()
    assert held(ana.person, AccountKind.SETTLED) == Decimal("0.196")
    assert held(ana.person, AccountKind.PENDING) == 0
    with pytest.raises(NotThatMuch):
        services.pay_out(actor=director, email=ana.person.email, amount=Decimal("0.2"))
    services.pay_out(actor=director, email=ana.person.email, amount=Decimal("0.196"), key="may")
    assert held(ana.person, AccountKind.SETTLED) == 0


def _pass_time(monkeypatch: pytest.MonkeyPatch, hours: int) -> None:
    later = timezone.now() + timedelta(hours=hours)
    monkeypatch.setattr(settling.timezone, "now", lambda: later)


@pytest.mark.parametrize("is_settled", [False, True])
def test_wrong_answers_are_not_paid(
    client: Person, director: Person, monkeypatch: pytest.MonkeyPatch, is_settled: bool
) -> None:
    """Taken back, fetched again, paid to whoever brought the right ones; if too late, the operator makes it good."""
    top_up(director, client, "1")
    eve, ana = Contributor("eve"), Contributor("ana")
    _trust(eve, ana)
    fetches.create_fetch(actor=client, urls=urls(10))
    assert eve.work()[0] == 200
    pricing.close_ended_fetches()
    _vouch(eve)
    if is_settled:
        with monkeypatch.context() as patch:
            _pass_time(patch, hours=25)
            settling.settle_matured()
    assert void_answers_of(node=eve.node, after=0, reason="wrong", not_owners=(eve.person.pk,)) == 10
    assert void_answers_of(node=eve.node, after=0, reason="wrong", not_owners=(eve.person.pk,)) == 0
    assert held(eve.person, AccountKind.PENDING) == 0
    assert held(client, AccountKind.RESERVED) == Decimal("0.28")
    while Request.objects.exists():
        assert ana.work()[0] == 200
    pricing.close_ended_fetches()
    assert held(client, AccountKind.RESERVED) == 0
    assert held(client, AccountKind.BALANCE) == Decimal("0.72")
    assert held(ana.person, AccountKind.PENDING) == Decimal("0.196")
    loss = Decimal("0.196") if is_settled else 0
    assert held(eve.person, AccountKind.SETTLED) == loss
    assert held(None, AccountKind.OPERATOR) == Decimal("0.084") - loss


def test_caught_node_loses_what_is_pending(client: Person, director: Person) -> None:
    """And what was answered free of charge stays so, though it is fetched again."""
    top_up(director, client, "1")
    eve, ana = Contributor("eve"), Contributor("ana")
    _trust(eve, ana)
    fetches.create_fetch(actor=client, urls=urls(10))
    assert eve.work()[0] == 200
    fetches.create_fetch(actor=client, urls=urls(10), max_age_seconds=3600)
    assert held(eve.person, AccountKind.PENDING) == Decimal("0.196")
    Standing.objects.filter(node=eve.node).update(
        caught_by="probe", state="quarantined", is_to_be_voided=True
    )
    take_back_answers_of_liars()
    assert held(eve.person, AccountKind.PENDING) == 0
    while Request.objects.exists():
        assert ana.work()[0] == 200
    pricing.close_ended_fetches()
    assert held(client, AccountKind.RESERVED) == 0
    assert held(client, AccountKind.BALANCE) == Decimal("0.72")
    change_setting(actor=director, name="audit_hours", value=0)
    _vouch(ana)
    settling.settle_matured()
    assert held(ana.person, AccountKind.PENDING) == 0
    assert held(ana.person, AccountKind.SETTLED) == Decimal("0.196"), (
        "what the archive had answered stays free"
    )
    assert held(eve.person, AccountKind.SETTLED) == 0


def test_what_is_fetched_to_check_somebody_earns_nothing(
    client: Person, director: Person, canary: str
) -> None:
    """What clients pay is what the operator keeps and contributors earn, whatever is fetched beside."""
    top_up(director, client, "1")
    ana, bob = Contributor("ana"), Contributor("bob")
    fetches.create_fetch(actor=client, urls=urls(5))
    assert ana.work()[0] == 200
    assert Probe.objects.filter(result="passed").exists()
    assert bob.work()[0] == 200
    assert CheckCopy.objects.filter(node=bob.node).count() == 5
    pricing.close_ended_fetches()
    assert held(client, AccountKind.BALANCE) == Decimal("0.86")
    assert held(ana.person, AccountKind.PENDING) == Decimal("0.098")
    assert held(bob.person, AccountKind.PENDING) == 0
    assert held(None, AccountKind.OPERATOR) == Decimal("0.042")


def test_nobody_earns_by_urls_that_no_client_pays(client: Person, director: Person, canary: str) -> None:
    """Much is asked for, of hosts that are not there, and cancelled: the probes among it earn nothing."""
    top_up(director, client, "100")
    mal = Contributor("mal")
    fetch = fetches.create_fetch(actor=client, urls=urls(400))
    for _ in range(3):
        work = mal.lease()
        probes = [host for host in work["hosts"] if host["name"] == "canary.example"]
        assert mal.bring({**work, "hosts": probes})[0] == 200
    fetches.cancel_fetch(actor=client, fetch_id=fetch.pk)
    assert Standing.objects.get(node=mal.node).passed > 0
    assert held(mal.person, AccountKind.PENDING) == held(None, AccountKind.OPERATOR) == 0


def test_lies_of_a_removed_node_are_never_settled(
    client: Person, director: Person, canary: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It leaves the probes out, takes its leave, and comes for its money."""
    top_up(director, client, "1")
    mal = Contributor("mal", says=a_lie, leaves_out_canary=True)
    fetches.create_fetch(actor=client, urls=urls(15))
    assert mal.work()[0] == 200
    remove_node(actor=mal.person, node_id=mal.node.pk)
    change_setting(actor=director, name="audit_hours", value=0)
    settling.settle_matured()
    assert held(mal.person, AccountKind.SETTLED) == 0
    assert held(mal.person, AccountKind.PENDING) == Decimal("0.294")
    with pytest.raises(NotThatMuch):
        services.pay_out(actor=director, email=mal.person.email, amount=Decimal("0.01"))
    _pass_time(monkeypatch, hours=25)
    settling.settle_matured()
    settling.settle_matured()
    assert held(mal.person, AccountKind.SETTLED) == held(mal.person, AccountKind.PENDING) == 0
    assert held(None, AccountKind.OPERATOR) == Decimal("0.42")
    assert queries.earned_with(actor=mal.person, node=mal.node) == 0


def test_what_came_after_the_last_passed_check_waits(
    client: Person, director: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until a silent week is over; another machine of the same person is paid all the same."""
    top_up(director, client, "1")
    ana = Contributor("ana")
    first, second = ana.node, ana.register("second")
    for node, is_vouched in ((first, True), (second, True), (first, False)):
        ana.node = node
        fetches.create_fetch(actor=client, urls=urls(5))
        assert ana.work()[0] == 200
        if is_vouched:
            _vouch(ana)
    _pass_time(monkeypatch, hours=25)
    settling.settle_matured()
    assert held(ana.person, AccountKind.SETTLED) == 2 * Decimal("0.098")
    assert held(ana.person, AccountKind.PENDING) == Decimal("0.098")
    _pass_time(monkeypatch, hours=24 * 7 + 1)
    settling.settle_matured()
    assert held(ana.person, AccountKind.SETTLED) == 2 * Decimal("0.098")
    assert held(ana.person, AccountKind.PENDING) == 0


@pytest.mark.parametrize("is_honest", [True, False])
def test_last_answers_of_a_node_are_compared_once_it_brings_no_more(
    client: Person, director: Person, is_honest: bool
) -> None:
    top_up(director, client, "1")
    eve, ana = Contributor("eve", says=the_truth if is_honest else a_lie), Contributor("ana")
    cem = Contributor("cem")
    _trust(eve, ana, cem)
    fetch = fetches.create_fetch(actor=client, urls=urls(5))
    assert eve.work()[0] == 200
    last_looks.take_last_looks()
    assert not Check.objects.exists(), "she may still bring more"
    Node.objects.filter(pk=eve.node.pk).update(answered_at=timezone.now() - timedelta(minutes=11))
    for _ in range(2):
        last_looks.take_last_looks()
    [check] = Check.objects.all()
    for one in (ana, cem):
        work = one.lease()
        assert not work["hosts"] or one.bring(work)[0] == 200
        judging.judge_ready_checks(30)
    check.refresh_from_db()
    assert check.mark == ("passed" if is_honest else "outvoted")
    vouched_at = Standing.objects.get(node=eve.node).vouched_at
    assert (vouched_at is not None) == is_honest
    replaced = FetchAnswer.objects.filter(fetch=fetch, url=check.url, state="fetched").get()
    assert (replaced.node_id == eve.node.pk) == is_honest, "and the client has the right answer"


def test_one_transfer_an_upload(client: Person, director: Person) -> None:
    top_up(director, client, "10")
    ana = Contributor("ana")
    _trust(ana)
    fetches.create_fetch(actor=client, urls=urls(100))
    before = Transfer.objects.count()
    assert ana.work()[0] == 200
    assert Transfer.objects.count() == before + 1


def test_only_directors_book(client: Person, director: Person) -> None:
    with pytest.raises(Forbidden):
        services.top_up(actor=client, email=client.email, amount=Decimal("5"))
    for amount in ("0", "-1", "0.0000001", "NaN", "1e12"):
        with pytest.raises(InvalidInput):
            services.top_up(actor=director, email=client.email, amount=Decimal(amount))
    services.top_up(actor=director, email=client.email, amount=Decimal("5"), key="invoice 7")
    services.top_up(actor=director, email=client.email, amount=Decimal("5"), key="invoice 7")
    with pytest.raises(KeyTaken):
        services.top_up(actor=director, email=client.email, amount=Decimal("6"), key="invoice 7")
    assert held(client, AccountKind.BALANCE) == 5


def test_statement(client: Person, director: Person) -> None:
    services.top_up(actor=director, email=client.email, amount=Decimal("5"), note="=1+1")
    fetches.create_fetch(actor=client, urls=urls(10))
    assert queries.holdings(actor=client).balance == 5 * MICROS - 280_000
    lines = b"".join(queries.statement_csv(actor=client)).decode().splitlines()
    assert lines[0].startswith("when,account,what_for,amount")
    assert [line.split(",")[1:4] for line in lines[1:]] == [
        ["balance", "topped up", "5.00"],
        ["balance", "reserved", "-0.28"],
        ["reserved", "reserved", "0.28"],
    ]
    assert lines[1].endswith(",'=1+1")
    assert not list(queries.statement(actor=director))


def test_clients_do_not_learn_nodes_nor_contributors_fetches(client: Person, director: Person) -> None:
    top_up(director, client, "5")
    ana = Contributor("ana")
    _trust(ana)
    fetch = fetches.create_fetch(actor=client, urls=urls(2))
    assert ana.work()[0] == 200
    files = {
        person: b"".join(queries.statement_csv(actor=person)).decode() for person in (client, ana.person)
    }
    assert "earned" in files[client]
    assert str(fetch.pk) in files[client]
    assert str(ana.node.pk) not in files[client]
    assert str(ana.node.pk) in files[ana.person]
    assert str(fetch.pk) not in files[ana.person]
    _token, secret = accounts.create_token(actor=client, name="t")
    reply = Client(headers={"Authorization": f"Bearer {secret}"}).get("/api/v1/credits/statement")
    assert {item["node"] for item in reply.json()["items"]} == {None}


def test_who_brought_the_right_answer_is_paid_for_it(client: Person, director: Person) -> None:
    """Asked for as a copy, which earns nothing; but it became the client's answer, who pays as for any other."""
    top_up(director, client, "1")
    eve, ana = Contributor("eve", says=a_lie), Contributor("ana")
    _trust(eve, ana)
    fetch = fetches.create_fetch(actor=client, urls=urls(10))
    assert eve.work()[0] == 200
    answers = list(FetchAnswer.objects.filter(fetch=fetch).order_by("pk"))
    for answer in answers[:3]:
        replace_answer(answer=answer, capture=answer.capture, node=ana.node, reason="wrong")
    pricing.close_ended_fetches()
    assert held(client, AccountKind.BALANCE) == Decimal("0.72"), "ten answers, ten paid"
    assert held(ana.person, AccountKind.PENDING) == 3 * Decimal("0.0196")
    assert held(eve.person, AccountKind.PENDING) == 7 * Decimal("0.0196")
    last = FetchAnswer.objects.get(pk=answers[3].pk)
    replace_answer(answer=last, capture=last.capture, node=ana.node, reason="wrong")
    pricing.close_ended_fetches()
    assert held(client, AccountKind.BALANCE) == Decimal("0.72"), "also when the fetch was closed by then"
    assert held(ana.person, AccountKind.PENDING) == 4 * Decimal("0.0196")


def test_what_other_machines_of_a_person_earned_is_not_taken(client: Person, director: Person) -> None:
    """What one of them owes and has been paid already, the operator makes good."""
    top_up(director, client, "1")
    eve = Contributor("eve")
    first = eve.node
    _trust(eve)
    fetches.create_fetch(actor=client, urls=urls(10))
    assert eve.work()[0] == 200
    _vouch(eve)
    change_setting(actor=director, name="audit_hours", value=0)
    settling.settle_matured()
    assert held(eve.person, AccountKind.SETTLED) == Decimal("0.196")
    eve.node = eve.register("second")
    _trust(eve)
    fetches.create_fetch(actor=client, urls=[f"{url}/more" for url in urls(10)])
    assert eve.work()[0] == 200
    assert held(eve.person, AccountKind.PENDING) == Decimal("0.196")
    assert void_answers_of(node=first, after=0, reason="wrong", not_owners=()) == 10
    assert held(eve.person, AccountKind.PENDING) == Decimal("0.196"), "it is the second machine's"
    assert held(None, AccountKind.OPERATOR) == Decimal("0.084") - Decimal("0.196")


def test_statement_over_the_api(client: Person, director: Person) -> None:
    top_up(director, client, "5")
    _token, secret = accounts.create_token(actor=client, name="t")
    headers = {"Authorization": f"Bearer {secret}"}
    browser = Client(headers=headers)
    assert browser.get("/api/v1/credits").json() == {
        "balance": "5.00", "reserved": "0.00", "pending": "0.00", "settled": "0.00",
    }  # fmt: skip
    [item] = browser.get("/api/v1/credits/statement").json()["items"]
    assert (item["kind"], item["amount"], item["account"]) == ("topped up", "5.00", "balance")
    _token, secret = accounts.create_token(actor=director, name="t")
    booked = Client(headers={"Authorization": f"Bearer {secret}"}).post(
        "/api/v1/credits/top-ups", {"email": client.email, "amount": "2.5"}, content_type="application/json"
    )
    assert booked.status_code == 200, booked.json()
    assert browser.get("/api/v1/credits").json()["balance"] == "7.50"
