"""Fetches, hosts, opt-outs and machines through the console."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from ronda.accounts.models import ApiToken, Person
from ronda.accounts.roles import Role
from ronda.accounts.services import person_of_token
from ronda.frontier.models import Host, HostChange, OptOut, Reach, Request, RobotsState
from ronda.grid import minutes
from ronda.grid.fetches import MOST_URLS, create_fetch
from ronda.grid.minutes import Amount
from ronda.grid.models import Fetch, Node
from ronda.grid.services import register_node
from tests.console.markup import Page

NEW = "/fetches/new"


@pytest.fixture
def fetch(administrator: Person) -> Fetch:
    return create_fetch(
        actor=administrator,
        urls=["http://a.example/1", "http://a.example/2", "http://b.example/", "ftp://x/"],
    )


def test_paste_urls(browser: Client) -> None:
    answer = browser.post(
        NEW, {"urls": "# mine\r\n\r\nhttp://a.example/\r\n  http://b.example/x  \r\n", "max_age": "0"}
    )
    made = Fetch.objects.get()
    assert answer.headers["Location"] == f"/fetches/{made.pk}"
    assert set(Request.objects.values_list("url", flat=True)) == {"http://a.example/", "http://b.example/x"}
    shown = browser.get(f"/fetches/{made.pk}").text
    assert "0 / 2" in shown
    assert 'hx-trigger="every 2s"' in shown


def test_clients_are_told_what_nodes_see(browser: Client) -> None:
    assert "hand in no addresses that hold secrets" in browser.get(NEW).text


def test_upload_a_list_beside_what_was_pasted(browser: Client) -> None:
    file = SimpleUploadedFile("list.txt", '\ufeffhttp://b.example/\n{"url": "http://c.example/"}\n'.encode())
    assert browser.post(NEW, {"urls": "http://a.example/", "file": file}).status_code == 302
    assert Request.objects.count() == 3


@pytest.mark.parametrize(
    ("urls", "content", "field"),
    [
        ("", None, "urls"),
        ("# nothing but words\n", b"", "urls"),
        ("", b"\x89PNG\r\n\x1a\n\0\0\0", "file"),
        ("", b'{"address": "http://a.example/"}', "file"),
        ("\n".join(f"http://a.example/{n}" for n in range(MOST_URLS + 1)), None, "urls"),
    ],
)
def test_what_is_no_list_is_told_at_its_field(
    browser: Client, urls: str, content: bytes | None, field: str
) -> None:
    given: dict[str, object] = {"urls": urls}
    if content is not None:
        given["file"] = SimpleUploadedFile("list.txt", content)
    answer = browser.post(NEW, given)
    assert answer.status_code == 422
    assert f'id="id_{field}_error"' in answer.text
    assert not Fetch.objects.exists()


def test_a_hundred_thousand_urls_in_a_file(browser: Client) -> None:
    lines = "\n".join(
        f"http://h{n % 100}.example/a/rather/long/path/to/make/the/body/large/{n}" for n in range(MOST_URLS)
    )
    assert browser.post(NEW, {"file": SimpleUploadedFile("l.txt", lines.encode())}).status_code == 302
    assert Fetch.objects.get().batch.total == MOST_URLS


def test_results_are_filtered(browser: Client, fetch: Fetch) -> None:
    address = f"/fetches/{fetch.pk}"
    assert "ftp://x/" in browser.get(f"{address}?outcome=refused").text
    assert "No result matches" in browser.get(f"{address}?outcome=2xx").text
    assert browser.get(f"{address}?outcome=nonsense&host=\0&page=-3").status_code == 200
    assert f"/api/v1{address}/results" in browser.get(address).text
    taken = browser.get(f"/api/v1{address}/results")
    assert taken.status_code == 200, "a session is enough to take the results home"
    assert ".ndjson" in taken.headers["Content-Disposition"]


def test_cancel_a_fetch_after_a_question(browser: Client, fetch: Fetch) -> None:
    address = f"/fetches/{fetch.pk}/cancel"
    assert browser.get(address).status_code == 200
    assert Request.objects.count() == 3, "looking at the question must not cancel"
    shown = browser.post(address, follow=True).text
    assert "The fetch is cancelled" in shown
    assert "hx-trigger" not in shown.partition('id="live-fetch"')[2][:200], "nothing more comes: no polling"
    assert not Request.objects.exists()
    assert browser.get(address).status_code == 302


def test_fetches_are_one_s_own(
    fetch: Fetch, make_person: Callable[..., Person], browser_of: Callable[..., Client]
) -> None:
    stranger = browser_of(make_person("c@example.org", Role.CLIENT))
    assert str(fetch.pk) not in stranger.get("/fetches").text
    for path in ("", "/cancel"):
        assert stranger.get(f"/fetches/{fetch.pk}{path}").status_code == 404
    assert stranger.post(f"/fetches/{fetch.pk}/cancel").status_code == 404
    assert Request.objects.count() == 3


def test_join_command_is_shown_once(browser: Client, administrator: Person) -> None:
    assert browser.get("/nodes/join").status_code == 405
    answer = browser.post("/nodes/join")
    assert answer.headers["Cache-Control"] == "no-store"
    command = re.search(r"ronda-node join http://testserver --token (ronda_[\w-]+)", answer.text)
    assert command
    assert person_of_token(command[1]) == administrator
    assert Page(answer.text).complaints == []
    assert command[1] not in browser.get("/nodes").text
    assert ApiToken.objects.count() == 1


def test_contributors_only_get_the_join_command(
    make_person: Callable[..., Person], browser_of: Callable[..., Client]
) -> None:
    assert browser_of(make_person("c@example.org", Role.CLIENT)).post("/nodes/join").status_code == 403
    assert not ApiToken.objects.exists()


def test_node_page_draws_what_it_brought(
    browser: Client,
    administrator: Person,
    make_person: Callable[..., Person],
    browser_of: Callable[..., Client],
) -> None:
    node = register_node(actor=administrator, name="laptop", version="1", system="Linux")
    minutes.count(node_id=node.pk, amounts={"2xx": Amount(1234, 5_000_000), "dns": Amount(3)})
    for period in ("", "?period=day", "?period=week", "?period=nonsense"):
        shown = browser.get(f"/nodes/{node.pk}{period}").text
        assert shown.count("<rect") == 3
        assert "1,234" in shown
        assert "4.8\N{NO-BREAK SPACE}MB" in shown
        assert Page(shown).complaints == []
    spanish = browser_of(administrator, "es").get(f"/nodes/{node.pk}").text
    assert re.search(r'<rect x="[\d.]+" y="[\d.]+"', spanish), "drawings know no decimal comma"
    stranger = browser_of(make_person("s@example.org", Role.CONTRIBUTOR))
    assert stranger.get(f"/nodes/{node.pk}").status_code == 404
    assert "laptop" not in stranger.get("/grid").text


def test_grid_says_what_limits_it(browser: Client, administrator: Person, fetch: Fetch) -> None:
    assert "none is present" in browser.get("/grid").text
    register_node(actor=administrator, name="laptop", version="1", system="Linux")
    shown = browser.get("/grid").text
    assert "Hosts limit us" in shown
    assert "/hosts/a.example" in shown
    tiles = browser.get("/").text
    assert re.search(r'id="tile-urls">3<', tiles)


def test_clients_do_not_learn_which_hosts_others_ask_for(
    fetch: Fetch, make_person: Callable[..., Person], browser_of: Callable[..., Client]
) -> None:
    for role in (Role.CLIENT, Role.CONTRIBUTOR):
        shown = browser_of(make_person(f"{role}@example.org", role)).get("/grid")
        assert shown.status_code == 200
        assert "a.example" not in shown.text


def test_change_a_host(browser: Client, fetch: Fetch) -> None:
    address = "/hosts/a.example"
    wrong = browser.post(f"{address}/change", {"delay_seconds": "-1", "max_nodes": "0"})
    assert wrong.status_code == 422
    assert 'id="id_delay_seconds_error"' in wrong.text
    assert 'id="id_max_nodes_error"' in wrong.text
    given = {"delay_seconds": "2.5", "max_nodes": "2", "is_delay_per_node": "on", "note": "agreed"}
    shown = browser.post(f"{address}/change", given, follow=True).text
    assert "agreed" in shown
    host = Host.objects.get(name="a.example")
    assert (host.delay_seconds, host.max_nodes, host.is_delay_per_node) == (2.5, 2, True)
    browser.post(f"{address}/change", {**given, "delay_seconds": ""})
    host.refresh_from_db()
    assert host.delay_seconds is None


def test_host_page_shows_learned_latency_by_country(browser: Client, fetch: Fetch) -> None:
    assert "Latency by country" not in browser.get("/hosts/a.example").text
    host = Host.objects.get(name="a.example")
    for country, seconds in {"DE": 0.2, "CL": 1.5}.items():
        Reach.objects.create(
            host_id=host.pk, country=country, latency_seconds=seconds, measured_at=timezone.now()
        )
    shown = browser.get("/hosts/a.example").text
    assert re.search(r"Latency by country.*DE.*0\.2 s.*CL.*1\.5 s", shown, re.DOTALL)


def test_end_rest_and_ask_robots_again(browser: Client, fetch: Fetch) -> None:
    later = timezone.now() + timedelta(hours=1)
    Host.objects.update(
        backoff_until=later,
        robots_expires_at=later,
        robots_state=RobotsState.RULES,
        robots_text="User-agent: <b>",
    )
    shown = browser.get("/hosts/a.example").text
    assert "User-agent: &lt;b&gt;" in shown
    assert "pidió descanso" in browser.get("/hosts/a.example", headers={"Accept-Language": "es"}).text
    for path in ("backoff", "robots"):
        assert browser.get(f"/hosts/a.example/{path}").status_code == 200
    assert not HostChange.objects.exists(), "looking at the question must not do it"
    assert browser.post("/hosts/a.example/backoff").status_code == 302
    assert browser.post("/hosts/a.example/robots").status_code == 302
    host = Host.objects.get(name="a.example")
    assert (host.backoff_until, host.robots_expires_at) == (None, None)
    assert HostChange.objects.count() == 2
    assert browser.post("/hosts/nowhere.example/robots").status_code == 404


def test_hosts_are_searched_and_sorted(browser: Client, fetch: Fetch) -> None:
    found = browser.get("/hosts?search=b.ex", headers={"HX-Request": "true"}).text
    assert "/hosts/b.example" in found
    assert "/hosts/a.example" not in found
    for sort in (
        "name",
        "queued",
        "due_at",
        "pace_seconds",
        "backoff_until",
        "robots_state",
        "latency_seconds",
    ):
        for order in ("", "-"):
            assert browser.get(f"/hosts?sort={order}{sort}").status_code == 200
    assert "No host matches" in browser.get("/hosts?group=opted-out").text
    assert browser.get("/hosts?group=nonsense").status_code == 200


def test_opt_out_and_in_again(browser: Client, fetch: Fetch) -> None:
    assert 'value="a.example"' in browser.get("/opt-outs?host=a.example").text
    wrong = browser.post("/opt-outs", {"pattern": "http://a.example/", "reason": "x"})
    assert wrong.status_code == 422
    assert 'id="id_pattern_error"' in wrong.text
    shown = browser.post("/opt-outs", {"pattern": "*.a.example", "reason": "asked by mail"}, follow=True).text
    assert "asked by mail" in shown
    again = browser.post("/opt-outs", {"pattern": "*.a.example", "reason": "x"})
    assert "on the list of opt-outs already" in again.text
    assert set(Request.objects.values_list("url", flat=True)) == {"http://b.example/"}
    assert "asked by mail" in browser.get("/hosts/a.example").text
    refused = browser.get(f"/fetches/{fetch.pk}?outcome=refused", headers={"Accept-Language": "es"}).text
    assert "excluido: asked by mail" in refused
    entry = OptOut.objects.get()
    assert browser.get(f"/opt-outs/{entry.pk}/remove").status_code == 200
    assert OptOut.objects.exists()
    browser.post(f"/opt-outs/{entry.pk}/remove")
    assert not OptOut.objects.exists()
    assert browser.post(f"/opt-outs/{entry.pk}/remove").status_code == 404


def test_hosts_with_odd_names_have_pages(browser: Client) -> None:
    for name in ("127.0.0.1:8100", "[::1]:8100", "a_b.example"):
        Host.objects.create(name=name)
        shown = browser.get("/hosts").text
        address = re.search(rf'href="(/hosts/[^"]+)">{re.escape(name)}<', shown)
        assert address
        assert browser.get(address[1]).status_code == 200


def test_machines_show_what_they_answered(browser: Client, administrator: Person) -> None:
    node = register_node(actor=administrator, name="laptop", version="1", system="Linux")
    Node.objects.filter(pk=node.pk).update(answered=12345)
    assert "12,345" in browser.get("/nodes?sort=-answered").text
