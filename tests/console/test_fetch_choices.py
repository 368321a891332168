"""What a client chooses for a fetch, what it costs, what several countries saw, and what is wrong with an answer."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest
from django.test import Client

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.credits.services import top_up
from ronda.frontier.models import Host, Request
from ronda.grid.fetches import create_fetch
from ronda.grid.models import Comparison, Fetch, FetchAnswer, Node
from ronda.grid.services import register_node
from ronda.policies.services import change_setting
from ronda.trust.models import Check, CheckState
from tests.console.markup import Page

NEW = "/fetches/new"


@pytest.fixture
def client(make_person: Callable[..., Person]) -> Person:
    return make_person("client@example.org", Role.CLIENT)


@pytest.fixture
def lend(make_person: Callable[..., Person]) -> Callable[[str], Node]:
    def make(name: str) -> Node:
        lender = make_person(f"{name}@example.org", Role.CONTRIBUTOR)
        return register_node(actor=lender, name=name, version="1", system="Linux", country="CL")

    return make


def test_strategy_is_that_of_the_settings_unless_chosen(
    browser_of: Callable[..., Client], client: Person, administrator: Person
) -> None:
    change_setting(actor=administrator, name="strategy", value="nearest")
    browser = browser_of(client, "es")
    assert '<option value="nearest" selected>' in browser.get(NEW).text
    browser.post(NEW, {"urls": "http://a.example/"})
    browser.post(NEW, {"urls": "http://a.example/", "strategy": "fastest"})
    assert list(Fetch.objects.order_by("created_at").values_list("batch__strategy", flat=True)) == [
        "nearest",
        "fastest",
    ]
    assert "el más rápido" in browser.get(f"/fetches/{Fetch.objects.latest('created_at').pk}").text
    assert browser.post(NEW, {"urls": "http://a.example/", "strategy": "luck"}).status_code == 422


def test_countries_are_given_in_any_way_people_write_lists(
    browser_of: Callable[..., Client], client: Person, lend: Callable[[str], Node]
) -> None:
    lend("ana")
    browser = browser_of(client)
    assert "Machines are there now in: CL." in browser.get(NEW).text
    assert browser.post(NEW, {"urls": "http://a.example/", "vantage": "cl; DE,,CL"}).status_code == 302
    assert Fetch.objects.get().vantage == ["CL", "DE"]
    assert Request.objects.count() == 2
    wrong = browser_of(client, "es").post(NEW, {"urls": "http://a.example/", "vantage": "Chile"})
    assert wrong.status_code == 422
    assert "«CHILE» no es un país" in wrong.text
    assert 'id="id_vantage_error"' in wrong.text


def test_balance_that_does_not_suffice_is_told_and_nothing_is_queued(
    browser_of: Callable[..., Client], client: Person, administrator: Person
) -> None:
    change_setting(actor=administrator, name="price_per_thousand", value="28")
    browser = browser_of(client, "es")
    given = {"urls": "http://a.example/\nhttp://b.example/", "strategy": "equal"}
    refused = browser.post(NEW, given)
    assert refused.status_code == 402
    assert "2 URL cuestan 0,056 créditos; su saldo es de 0,00." in refused.text
    assert 'href="/credits"' in refused.text
    assert "http://b.example/" in refused.text, "what was pasted is still there"
    assert Page(refused.text).complaints == []
    assert not Fetch.objects.exists()
    assert not Request.objects.exists()

    top_up(actor=administrator, email=client.email, amount=Decimal("1"))
    made = browser.post(NEW, given)
    shown = browser.get(made.headers["Location"]).text
    assert "28,00 créditos por cada mil URL" in shown
    assert "0,056" in shown


def test_free_fetches_say_nothing_of_credits(browser_of: Callable[..., Client], client: Person) -> None:
    made = create_fetch(actor=client, urls=["http://a.example/"])
    assert "credits for a thousand" not in browser_of(client).get(f"/fetches/{made.pk}").text


def test_urls_that_differ_between_countries_are_listed(
    browser_of: Callable[..., Client], client: Person
) -> None:
    urls = ["http://a.example/", "http://b.example/"]
    made = create_fetch(actor=client, urls=urls, vantage=["CL", "DE"])
    browser, address = browser_of(client), f"/fetches/{made.pk}"
    assert "Answers are compared when all are there." in browser.get(address).text
    for url in urls:
        for country, status in (("CL", 200), ("DE", 451 if url == urls[0] else 200)):
            FetchAnswer.objects.create(fetch=made, url=url, state="fetched", status=status, country=country)
    made.batch.ended = made.batch.total
    made.batch.save()
    assert 'hx-trigger="every 2s"' in browser.get(address).text, "the comparison is still to come"
    Comparison.objects.create(fetch=made, url=urls[0], outcome="differ", rung="status")
    Comparison.objects.create(fetch=made, url=urls[1], outcome="match", rung="text", similarity=0.987)
    shown = browser.get(address).text
    assert "Seen from CL, DE" in shown
    table = shown.partition("URLs that were answered differently")[2].partition("</table>")[0]
    assert urls[0] in table
    assert "451" in table
    assert "the status" in table
    assert urls[1] not in table
    assert "hx-trigger" not in shown.partition('id="live-fetch"')[2][:200]
    assert Page(shown).complaints == []


def test_report_a_wrong_answer(
    browser_of: Callable[..., Client], client: Person, lend: Callable[[str], Node]
) -> None:
    made = create_fetch(actor=client, urls=["http://a.example/"])
    ana, archived = lend("ana"), "http://b.example/"
    answer = FetchAnswer.objects.create(
        fetch=made, url="http://a.example/", state="fetched", status=200, node=ana, country="CL"
    )
    kept = FetchAnswer.objects.create(fetch=made, url=archived, state="fetched", status=200)
    lend("bob")
    browser = browser_of(client)
    address = f"/fetches/{made.pk}/answers/{answer.pk}/report"
    shown = browser.get(f"/fetches/{made.pk}").text
    assert address in shown
    assert f"/answers/{kept.pk}/report" not in shown, "nobody could have made up what the archive has"
    assert browser.get(f"/fetches/{made.pk}/answers/{kept.pk}/report").status_code == 404
    assert Page(browser.get(address).text).complaints == []
    assert not Check.objects.exists()
    assert "fetched again" in browser.post(address, {"note": "not the page"}, follow=True).text
    check = Check.objects.get()
    assert (check.answer, check.note, check.reported_by) == (answer, "not the page", client)
    assert "reported, being checked" in browser.get(f"/fetches/{made.pk}").text
    assert "reported already" in browser.post(address, follow=True).text
    Check.objects.update(state=CheckState.DECIDED, mark="passed")
    assert "reported: it stands" in browser.get(f"/fetches/{made.pk}").text


def test_report_where_nobody_else_is(
    browser_of: Callable[..., Client], client: Person, lend: Callable[[str], Node]
) -> None:
    made = create_fetch(actor=client, urls=["http://a.example/"])
    answer = FetchAnswer.objects.create(
        fetch=made, url="http://a.example/", state="fetched", status=200, node=lend("ana")
    )
    address = f"/fetches/{made.pk}/answers/{answer.pk}/report"
    assert "no other person" in browser_of(client).post(address, follow=True).text


def test_only_its_client_reports_an_answer(
    browser_of: Callable[..., Client],
    make_person: Callable[..., Person],
    client: Person,
    lend: Callable[[str], Node],
) -> None:
    made = create_fetch(actor=client, urls=["http://a.example/"])
    answer = FetchAnswer.objects.create(
        fetch=made, url="http://a.example/", state="fetched", status=200, node=lend("ana")
    )
    other = create_fetch(actor=client, urls=["http://a.example/"])
    stranger = browser_of(make_person("stranger@example.org", Role.CLIENT))
    assert stranger.post(f"/fetches/{made.pk}/answers/{answer.pk}/report").status_code == 404
    own = browser_of(client)
    for path in (f"{other.pk}/answers/{answer.pk}", f"{made.pk}/answers/{10**30}"):
        assert own.post(f"/fetches/{path}/report").status_code == 404
    assert not Check.objects.exists()


def test_hosts_show_country_and_address(browser: Client) -> None:
    Host.objects.create(name="a.example", address="192.0.2.7", country="CL")
    assert '<td data-label="Country">CL</td>' in browser.get("/hosts").text
    shown = browser.get("/hosts/a.example").text
    assert "192.0.2.7" in shown
    assert "<dd>CL</dd>" in shown
