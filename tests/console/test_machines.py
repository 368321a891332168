"""Machines one lends: what is shown of them, pausing, removing, and the way out of quarantine."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone, translation

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.credits.ledger import About, account, post
from ronda.credits.models import AccountKind, TransferKind
from ronda.grid.models import Node
from ronda.grid.node_words import said_in_words
from ronda.grid.services import NodeState, note_presence, register_node
from ronda.trust import standings
from ronda.trust.models import Incident, Standing
from ronda.trust.rules import ProbeResult, Score, after_probe
from tests.console.markup import Page


@pytest.fixture
def lender(make_person: Callable[..., Person]) -> Person:
    return make_person("lender@example.org", Role.CONTRIBUTOR)


@pytest.fixture
def node(lender: Person) -> Node:
    return register_node(actor=lender, name="laptop", version="1", system="Linux", country="CL")


def quarantine(node: Node) -> None:
    standing = standings.locked([node.pk])[node.pk]
    standings.keep(standing, after_probe(Score(passed=12, checked=12), ProbeResult.FAILED))


def test_list_shows_country_score_and_work(
    browser_of: Callable[..., Client], lender: Person, node: Node
) -> None:
    Standing.objects.create(node=node, state="trusted", checked=120, passed=119, failed=1)
    note_presence(actor=lender, node_id=node.pk, state=NodeState(doing="idle: nothing to do"))
    shown = browser_of(lender, "es").get("/nodes").text
    for text in (">CL<", "de confianza", "119 de 120 superadas", "en espera: nada que hacer", "Pausar"):
        assert text in shown, text
    assert Page(shown).complaints == []


def test_page_shows_what_the_node_says_and_what_was_measured(
    browser_of: Callable[..., Client], lender: Person, node: Node
) -> None:
    browser = browser_of(lender)
    assert "not measured yet" in browser.get(f"/nodes/{node.pk}").text
    Node.objects.filter(pk=node.pk).update(rate_urls_per_second=12.34)
    resting = "it was stopped by its owner (/home/ana/stop exists)"
    note_presence(
        actor=lender,
        node_id=node.pk,
        state=NodeState(slots=24, pending=7, urls_per_second=3.5, resting_because=resting),
    )
    shown = browser.get(f"/nodes/{node.pk}").text
    for text in ("12.3 as the server measured", ">24<", "3.5", "Resting", "it was stopped by its owner"):
        assert text in shown, text
    assert "/home/ana" not in shown
    assert "probe" not in shown.lower()


def test_credits_of_the_person_and_of_the_machine(
    browser_of: Callable[..., Client], lender: Person, node: Node, administrator: Person
) -> None:
    for key, about in (("1", About(node=node.pk, urls=5)), ("2", About())):
        post(
            TransferKind.EARNED,
            key,
            {account(AccountKind.OPERATOR): -2_500_000, account(AccountKind.PENDING, lender): 2_500_000},
            about,
        )
    browser = browser_of(lender)
    assert 'id="pending" href="/credits">5.00' in browser.get("/nodes").text
    assert 'id="earned" href="/credits">2.50' in browser.get(f"/nodes/{node.pk}").text
    assert 'data-label="Credits">2.50' in browser.get("/nodes").text
    assert ">2.50<" in browser_of(administrator).get(f"/nodes/{node.pk}").text


def test_pause_and_resume(browser_of: Callable[..., Client], lender: Person, node: Node) -> None:
    browser = browser_of(lender)
    address = f"/nodes/{node.pk}"
    assert browser.get(f"{address}/pause").status_code == 405, "a link must not do it"
    paused = browser.post(f"{address}/pause", {"from_list": "1"})
    assert paused.headers["Location"] == "/nodes"
    shown = browser.get("/nodes").text
    assert 'data-state="stopped">Paused<' in shown
    assert f'action="{address}/resume"' in shown
    assert browser.post(f"{address}/pause").status_code == 302, "twice is harmless"
    resumed = browser.post(f"{address}/resume")
    assert resumed.headers["Location"] == address
    node.refresh_from_db()
    assert node.paused_at is None


def test_remove_after_a_question(browser_of: Callable[..., Client], lender: Person, node: Node) -> None:
    browser = browser_of(lender)
    assert "Remove “laptop”?" in browser.get(f"/nodes/{node.pk}/remove").text
    node.refresh_from_db()
    assert node.removed_at is None
    assert "“laptop” is removed." in browser.post(f"/nodes/{node.pk}/remove", follow=True).text
    for path in ("", "/remove"):
        assert browser.get(f"/nodes/{node.pk}{path}").status_code == 404
    assert browser.post(f"/nodes/{node.pk}/pause").status_code == 404
    assert "laptop" not in browser.get("/grid").text


def test_machines_are_one_s_own(
    browser_of: Callable[..., Client], make_person: Callable[..., Person], node: Node
) -> None:
    stranger = browser_of(make_person("stranger@example.org", Role.CONTRIBUTOR))
    for path in ("pause", "resume", "remove"):
        assert stranger.post(f"/nodes/{node.pk}/{path}").status_code == 404
    node.refresh_from_db()
    assert (node.paused_at, node.removed_at) == (None, None)


def test_quarantine_is_told_with_the_reason_and_lifted_by_administrators(
    browser_of: Callable[..., Client], lender: Person, node: Node, administrator: Person
) -> None:
    quarantine(node)
    own, address = browser_of(lender, "es"), f"/nodes/{node.pk}"
    shown = own.get(address).text
    assert "Está en cuarentena" in shown
    assert "Respondió por una página algo que no está en ella." in shown
    assert "lift-quarantine" not in shown
    assert own.get(f"{address}/lift-quarantine").status_code == 403
    assert own.post(f"{address}/lift-quarantine").status_code == 403
    assert "En cuarentena" in own.get("/nodes").text
    assert "En cuarentena" in own.get("/grid").text

    browser = browser_of(administrator)
    assert f"{address}/lift-quarantine" in browser.get(address).text
    assert Page(browser.get(f"{address}/lift-quarantine").text).complaints == []
    assert browser.post(f"{address}/lift-quarantine", {"reason": "x" * 301}).status_code == 422
    done = browser.post(f"{address}/lift-quarantine", {"reason": "<b>its network lied</b>"}, follow=True).text
    assert "out of quarantine" in done
    assert "&lt;b&gt;its network lied" in own.get(address).text
    assert Incident.objects.filter(by=administrator).count() == 1
    assert browser.get(f"{address}/lift-quarantine").status_code == 302
    again = browser.post(f"{address}/lift-quarantine", follow=True).text
    assert "This node is not in quarantine" in again


def test_grid_overview_tells_who_could_work(
    browser_of: Callable[..., Client], node: Node, administrator: Person
) -> None:
    browser = browser_of(administrator)
    shown = browser.get("/grid").text
    assert "1 <small>of 1 present" in shown
    assert ">CL<" in shown
    Node.objects.update(paused_at=timezone.now())
    shown = browser.get("/grid").text
    assert "0 <small>of 1 present" in shown, "a paused node is not idle"
    assert ">Paused<" in shown


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("", ""),
        ("leaving", "retirándose"),
        ("fetching: 12 URLs so far, 3 in hand", "descargando"),
        (
            "resting: outside of the hours allowed, until 2026-03-01 08:00",
            "descansa: fuera del horario permitido, hasta 2026-03-01 08:00 (según su reloj)",
        ),
        ("whatever another program says (really)", "whatever another program says (really)"),
    ],
)
def test_what_nodes_say_is_translated(said: str, words: str) -> None:
    with translation.override("es"):
        assert said_in_words(said) == words
