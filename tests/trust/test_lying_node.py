"""Nodes come over the API; some lie. They are caught, told so, and what they said is fetched again by others."""

from __future__ import annotations

import random
from datetime import timedelta
from string import ascii_lowercase
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from ronda.accounts import services as accounts
from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.archive.models import Capture
from ronda.archive.reading import payload
from ronda.errors import Forbidden
from ronda.frontier.models import Host, Request, RobotsState
from ronda.grid import fetches
from ronda.grid.errors import NoSuchFetch
from ronda.grid.models import AnswerState, Fetch, FetchAnswer
from ronda.grid.services import remove_node
from ronda.trust import checking, judging, queries, services, standings
from ronda.trust.errors import NoSuchAnswer, NotInQuarantine
from ronda.trust.models import Check, CheckState, Incident, Probe, Standing
from ronda.trust.rules import FIRST_REPLICATED, SMALL_BLOCK_URLS, Score
from tests.grid.warc_bodies import pair, response
from tests.people import person_with
from tests.trust.crowd import CANARY, Contributor, a_lie, the_truth

pytestmark = pytest.mark.django_db


def urls(count: int, first: int = 0) -> list[str]:
    return [f"http://h{number}.example/page" for number in range(first, first + count)]


def answers_of(client: Person, fetch: Fetch) -> dict[str, FetchAnswer]:
    """What counts in the end, by URL."""
    rows = list(fetches.answers(actor=client, fetch_id=fetch.pk))
    counting = [row for row in rows if row.state != AnswerState.VOID]
    assert len({row.url for row in counting}) == len(counting), "an answer counts twice"
    return {row.url: row for row in counting}


def test_probes_look_like_work_and_prove_honesty(client: Person, canary: str) -> None:
    ana = Contributor("ana")
    fetches.create_fetch(actor=client, urls=urls(60))
    work = ana.lease()
    requests = [request for host in work["hosts"] for request in host["requests"]]
    probes = [request for request in requests if request["url"].startswith(CANARY)]
    assert probes
    assert len(requests) - len(probes) <= SMALL_BLOCK_URLS, "nobody knows her yet"
    assert {type(request["id"]) for request in requests} == {str}
    told = {"name", "delay_seconds", "latency_factor", "longest_delay_seconds", "robots", "requests"}
    assert all(set(host) == told for host in work["hosts"])
    assert len({(host["latency_factor"], host["longest_delay_seconds"]) for host in work["hosts"]}) == 1
    numbers = [int(request["id"]) for request in requests]
    assert max(numbers) - min(numbers) < 200, "a probe's number is like the others'"
    status, answer = ana.bring(work)
    assert (status, answer) == (200, {"accepted": len(requests)}), "nor do the numbers tell them apart"
    standing = Standing.objects.get(node=ana.node)
    assert standing.passed == len(probes)
    assert set(Probe.objects.values_list("result", flat=True)) == {"passed"}
    assert not Capture.objects.filter(url__startswith=CANARY).exists()


def test_liar_is_caught_by_its_first_block(client: Person, canary: str) -> None:
    eve = Contributor("eve", says=a_lie, visits_canary=False)
    fetch = fetches.create_fetch(actor=client, urls=urls(60))
    status, answer = eve.work()
    assert status == 409
    assert "quarantine" in answer["detail"]
    assert not Capture.objects.exists(), "nothing of it is stored"
    work = eve.lease()
    assert work["hosts"] == []
    assert "quarantine" in work["because"]
    assert work["come_back_seconds"] > 60
    _status, shown = eve.call("GET", f"/nodes/{eve.node.pk}/trust")
    assert (shown["state"], shown["incidents"][0]["kind"]) == ("quarantined", "caught")
    assert not answers_of(client, fetch)


def test_late_liar_loses_what_it_said_since_it_last_told_the_truth(client: Person, canary: str) -> None:
    eve, ana = Contributor("eve"), Contributor("ana")
    fetch = fetches.create_fetch(actor=client, urls=urls(160))
    assert eve.work()[0] == 200
    before = set(answers_of(client, fetch))
    # What another person confirms of her second block vouches for the first.
    assert eve.work()[0] == 200
    unproven = set(answers_of(client, fetch)) - before
    for _ in range(3):
        assert ana.work()[0] == 200
    judging.judge_ready_checks(seconds=60)
    before = set(answers_of(client, fetch)) - unproven
    standings.keep(Standing.objects.get(node=eve.node), Score())  # looked at as closely as at first
    # She lies about pages first, and about a probe in the block after that.
    eve.says = a_lie
    assert eve.work()[0] == 200
    lies = set(answers_of(client, fetch)) - before
    eve.visits_canary = False
    assert "quarantine" in eve.work()[1]["detail"]
    last_id = FetchAnswer.objects.latest("pk").pk
    services.take_back_answers_of_liars()
    notices = list(fetches.answers(actor=client, fetch_id=fetch.pk, after=last_id))
    assert {row.url for row in notices} == lies, "a reader who has had them all learns of it"
    assert {row.state for row in notices} == {AnswerState.VOID}
    assert set(answers_of(client, fetch)) == before
    voided = Capture.objects.exclude(voided_at=None)
    assert voided.filter(url__in=lies).count() == len(lies)
    assert set(voided.values_list("node", flat=True)) == {eve.node.pk}
    for check in Check.objects.filter(state=CheckState.WAITING):
        checking.give_up(check)  # nobody is left who could look
    _work_off(ana)
    fetch = Fetch.objects.get(pk=fetch.pk)
    assert (fetch.is_done, fetch.batch.total) == (True, 160)
    answers = answers_of(client, fetch)
    assert sorted(answers) == sorted(urls(160))
    assert all(says_the_truth(answer) for answer in answers.values())
    assert {answer.node_id for url, answer in answers.items() if url in lies} == {ana.node.pk}


def _work_off(*people: Contributor) -> None:
    """A few hosts at a time, until nobody gets anything to do."""
    dice = random.Random(3)
    is_busy = True
    while is_busy:
        is_busy = False
        for person in dice.sample(people, len(people)):
            work = person.lease(slots=1)
            if work["hosts"]:
                assert person.bring(work)[0] == 200
                is_busy = True


def says_the_truth(answer: FetchAnswer) -> bool:
    assert answer.capture
    return the_truth(answer.url).endswith(payload(answer.capture, 100_000))


def test_votes_of_others_catch_a_liar_where_there_are_no_probes(client: Person) -> None:
    honest = [Contributor(name) for name in ("ana", "bob", "cem", "dia")]
    fetches.create_fetch(actor=client, urls=urls(48))
    for _ in range(4):
        _work_off(*honest)
        judging.judge_ready_checks(30)
    assert {s.state for s in Standing.objects.all()} == {"trusted"}
    eve = Contributor("eve", says=a_lie)
    fetch = fetches.create_fetch(actor=client, urls=urls(20, first=100))
    assert eve.work()[0] == 200
    assert Check.objects.filter(state=CheckState.WAITING).count() >= FIRST_REPLICATED
    for _ in range(3):
        _work_off(*honest)
        judging.judge_ready_checks(30)
    standing = Standing.objects.get(node=eve.node)
    assert (standing.state, standing.caught_by) == ("quarantined", "votes")
    assert set(Standing.objects.exclude(node=eve.node).values_list("state", flat=True)) == {"trusted"}
    services.take_back_answers_of_liars()
    _work_off(*honest)
    assert all(says_the_truth(answer) for answer in answers_of(client, fetch).values())
    assert Fetch.objects.get(pk=fetch.pk).is_done


def test_copies_never_go_to_the_same_person(client: Person) -> None:
    ana, bob = Contributor("ana"), Contributor("bob")
    fetches.create_fetch(actor=client, urls=urls(5))
    assert ana.work()[0] == 200
    assert Request.objects.count() == 5
    assert ana.lease()["hosts"] == []
    work = bob.lease()
    assert len(work["hosts"]) == 5
    assert bob.bring(work)[1] == {"accepted": 5}
    judging.judge_ready_checks(30)
    assert set(Check.objects.values_list("mark", flat=True)) == {"passed"}
    assert not Check.objects.filter(state=CheckState.WAITING).exists()
    assert set(Standing.objects.values_list("consecutive_valid", flat=True)) == {5}


def test_alone_nothing_waits(client: Person) -> None:
    ana = Contributor("ana")
    fetch = fetches.create_fetch(actor=client, urls=urls(30))
    _work_off(ana)
    assert Fetch.objects.get(pk=fetch.pk).is_done
    assert not Request.objects.exists()
    assert not Check.objects.exists()
    assert ana.call("GET", f"/nodes/{ana.node.pk}/trust")[1]["is_alone"]


def test_copies_that_nobody_can_fetch_are_given_up(client: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    ana, _bob = Contributor("ana"), Contributor("bob")
    fetches.create_fetch(actor=client, urls=urls(5))
    assert ana.work()[0] == 200
    assert Request.objects.count() == 5
    monkeypatch.setattr(checking, "PATIENCE", timedelta(0))
    checking.give_up_late_checks()
    assert not Request.objects.exists()
    assert set(Check.objects.values_list("state", flat=True)) == {CheckState.GIVEN_UP}


def test_pages_that_differ_for_everybody_accuse_nobody(client: Person) -> None:
    dice = random.Random(5)

    def anew(url: str) -> bytes:
        words = ("".join(dice.choices(ascii_lowercase, k=7)) for _ in range(40))
        return response(200, " ".join(words).encode(), "text/plain")

    people = [Contributor(name, says=anew) for name in ("ana", "bob", "cem")]
    fetches.create_fetch(actor=client, urls=urls(40))
    for _ in range(4):
        _work_off(*people)
        judging.judge_ready_checks(30)
    assert set(Check.objects.values_list("mark", flat=True)) == {"unclear"}
    assert set(Standing.objects.values_list("failed", flat=True)) == {0}


def test_known_answers_need_no_copy(client: Person) -> None:
    people = [Contributor(name) for name in ("ana", "bob", "cem")]
    for person in people:
        fetches.create_fetch(actor=client, urls=urls(3))
        work = person.lease()
        assert person.bring(work)[0] == 200
        Request.objects.all().delete()
    Check.objects.all().delete()
    dia = Contributor("dia")
    fetches.create_fetch(actor=client, urls=urls(3))
    assert dia.work()[0] == 200
    assert not Check.objects.exists()
    assert Standing.objects.get(node=dia.node).passed == 3


def test_administrator_lifts_a_quarantine(client: Person, canary: str) -> None:
    eve = Contributor("eve", says=a_lie, visits_canary=False)
    fetches.create_fetch(actor=client, urls=urls(20))
    eve.work()
    boss = person_with(Role.ADMINISTRATOR, email="boss@example.org")
    with pytest.raises(Forbidden):
        services.lift_quarantine(actor=eve.person, node_id=eve.node.pk, reason="it was me")
    services.lift_quarantine(actor=boss, node_id=eve.node.pk, reason="a proxy, now gone")
    with pytest.raises(NotInQuarantine):
        services.lift_quarantine(actor=boss, node_id=eve.node.pk, reason="again")
    assert Standing.objects.get(node=eve.node).state == "new"
    assert list(Incident.objects.values_list("kind", flat=True)) == ["caught", "lifted"]
    eve.says, eve.visits_canary = the_truth, True
    assert eve.work()[0] == 200


def test_caught_person_gets_no_work_with_other_machines(client: Person, canary: str) -> None:
    eve, ana = Contributor("eve", says=a_lie), Contributor("ana")
    fetch = fetches.create_fetch(actor=client, urls=urls(60))
    first, second = eve.node, eve.register("another")
    eve.node = second
    assert eve.work()[0] == 200, "her second machine lies about pages only"
    lies = set(answers_of(client, fetch))
    in_hand = eve.lease()
    eve.node, eve.visits_canary = first, False
    assert eve.work()[0] == 409
    eve.node, eve.visits_canary = second, True
    assert "eve, is in quarantine" in eve.bring(in_hand)[1]["detail"], "nor can it bring what it still had"
    for node in (second, eve.register("a third")):
        eve.node = node
        work = eve.lease()
        assert work["hosts"] == []
        assert "Until an administrator lifts it, none of yours gets work" in work["because"]
        assert eve.call("GET", f"/nodes/{node.pk}/trust")[1]["beside"] == "eve"
    while Standing.objects.filter(is_to_be_voided=True).exists():
        services.take_back_answers_of_liars()
    assert not lies & set(answers_of(client, fetch)), "what nobody checked of her is asked of others"
    remove_node(actor=eve.person, node_id=first.pk)
    assert eve.lease()["hosts"] == [], "nor does it help to remove the one that was caught"
    boss = person_with(Role.ADMINISTRATOR, email="boss@example.org")
    services.lift_quarantine(actor=boss, node_id=first.pk, reason="a proxy, now gone")
    assert queries.trust_of(actor=boss, node_id=first.pk).standing.state == "new"
    assert eve.lease()["hosts"]
    assert ana.lease()["hosts"]


def test_broken_probe_answers_are_no_proof(client: Person, canary: str) -> None:
    """A proxy's 502, a failure, a body cut off: bad luck. A wrong body: a lie."""
    ana = Contributor("ana")
    fetches.create_fetch(actor=client, urls=urls(5))
    work = ana.lease()
    body = b""
    for request in (request for host in work["hosts"] for request in host["requests"]):
        if request["url"].startswith(CANARY):
            body += pair(request["url"], request["id"], response(502, b"bad gateway"))
        else:
            body += pair(request["url"], request["id"], the_truth(request["url"]))
    assert ana.call("PUT", f"/grid/blocks/{work['block']}?node_id={ana.node.pk}", body)[0] == 200
    standing = Standing.objects.get(node=ana.node)
    assert (standing.failed, standing.passed) == (0, 0)
    assert standing.unreached > 0


@pytest.fixture
def answered(client: Person) -> tuple[Contributor, Contributor, Fetch]:
    """One URL, answered by eve; bob is there as well. Nothing of it was chosen to be checked."""
    eve, bob = Contributor("eve"), Contributor("bob")
    Standing.objects.create(node=eve.node, replicated=10**6, consecutive_valid=10**6)
    return eve, bob, fetches.create_fetch(actor=client, urls=urls(1))


def _report(client: Person, fetch: Fetch) -> Any:
    _token, secret = accounts.create_token(actor=client, name="report")
    reply = Client().post(
        f"/api/v1/fetches/{fetch.pk}/reports",
        {"url": urls(1)[0], "note": "that is not the page"},
        content_type="application/json",
        headers={"Authorization": f"Bearer {secret}"},
    )
    return reply.status_code, reply.json()


def test_client_reports_a_wrong_answer(
    client: Person, answered: tuple[Contributor, Contributor, Fetch]
) -> None:
    eve, bob, fetch = answered
    eve.says = a_lie
    assert eve.work()[0] == 200
    Check.objects.all().delete()
    Request.objects.all().delete()
    status, report = _report(client, fetch)
    assert (status, report["outcome"]) == (202, "waiting")
    assert _report(client, fetch)[0] == 409
    cem = Contributor("cem")
    for one in (bob, cem):
        assert one.work()[0] == 200
        judging.judge_ready_checks(30)
    [answer] = answers_of(client, fetch).values()
    assert answer.node_id == cem.node.pk
    assert says_the_truth(answer)
    [told] = queries.reports(actor=client, fetch_id=fetch.pk)
    assert told.outcome == "replaced"


def test_client_reports_a_right_answer(
    client: Person, answered: tuple[Contributor, Contributor, Fetch]
) -> None:
    eve, bob, fetch = answered
    assert eve.work()[0] == 200
    Check.objects.all().delete()
    Request.objects.all().delete()
    assert _report(client, fetch)[0] == 202
    assert bob.work()[0] == 200
    judging.judge_ready_checks(30)
    [told] = queries.reports(actor=client, fetch_id=fetch.pk)
    assert told.outcome == "stands"
    stranger = person_with(Role.CLIENT, email="stranger@example.org")
    with pytest.raises(NoSuchFetch):
        services.report_answer(actor=stranger, fetch_id=fetch.pk, url=urls(1)[0])
    with pytest.raises(NoSuchAnswer):
        services.report_answer(actor=client, fetch_id=fetch.pk, url="http://elsewhere.example/")


def test_scores_are_shown_with_nodes(client: Person, canary: str) -> None:
    ana = Contributor("ana")
    [before] = ana.call("GET", "/nodes")[1]["items"]
    assert before["trust"] is None
    fetches.create_fetch(actor=client, urls=urls(5))
    assert ana.work()[0] == 200
    [shown] = ana.call("GET", "/nodes")[1]["items"]
    assert shown["trust"]["state"] == "new"
    assert shown["answered"] == 5 + shown["trust"]["passed"], "probes count like any other URL"
    assert shown["trust"]["passed"] == shown["trust"]["checked"] > 0
    assert ana.call("GET", "/trust")[0] == 403


def test_rules_a_liar_brought_are_asked_for_again(client: Person, canary: str) -> None:
    eve = Contributor("eve")
    fetches.create_fetch(actor=client, urls=urls(4))
    work = eve.ask(slots=64)
    names = [request["url"] for host in work["hosts"] for request in host["requests"]]
    assert any(url.startswith(CANARY) for url in names), "even where only robots.txt is asked for"
    asked = [url for url in names if url.endswith("/robots.txt") and not url.startswith(CANARY)]
    assert len(asked) == 4
    assert eve.bring(work)[0] == 200
    assert Host.objects.filter(robots_node=eve.node.pk, robots_state=RobotsState.RULES).count() == 4
    ana = Contributor("ana")
    eve.visits_canary = False
    assert eve.work()[0] == 409
    services.take_back_answers_of_liars()
    Host.objects.update(ready_at=timezone.now() - timedelta(seconds=1))
    again = [request["url"] for host in ana.ask(slots=64)["hosts"] for request in host["requests"]]
    assert set(asked) <= set(again)


def keep_out(url: str) -> bytes:
    return response(200, b"User-agent: *\nDisallow: /\n", "text/plain")


def test_who_lies_about_robots_alone_is_caught_by_the_canary(client: Person, canary: str) -> None:
    eve = Contributor("eve", says_of_robots=keep_out)
    caught = False
    for turn in range(20):
        fetches.create_fetch(actor=client, urls=[f"http://t{turn}-{n}.example/" for n in range(20)])
        caught = eve.bring(eve.ask(slots=64))[0] == 409
        if caught:
            break
    assert caught
    assert Probe.objects.filter(robots_number__isnull=False, result="failed").exists()


def keep_off_pages(url: str) -> bytes:
    return response(200, b"User-agent: *\nDisallow: /page\n", "text/plain")


def test_robots_told_wrong_is_outvoted_and_asked_for_again(client: Person) -> None:
    honest = [Contributor(name) for name in ("ana", "bob", "cem")]
    for one in honest:
        Standing.objects.create(
            node=one.node, passed=20, agreed=10**6, state="trusted", replicated=10**6, consecutive_valid=10**6
        )
    eve = Contributor("eve", says_of_robots=keep_off_pages)
    Standing.objects.create(node=eve.node, passed=20, agreed=20, state="trusted", consecutive_valid=20)
    fetches.create_fetch(actor=client, urls=urls(1))
    assert eve.bring(eve.ask(slots=4))[0] == 200
    assert "Disallow: /page" in Host.objects.get().robots_text
    asked: list[str] = []
    for one in honest * 2:
        if len(asked) == 1:
            assert Host.objects.get().robots_expires_at is None, "asked for again as soon as somebody differs"
        Host.objects.update(ready_at=timezone.now() - timedelta(seconds=1))
        work = one.ask(slots=4)
        asked += [request["url"] for host in work["hosts"] for request in host["requests"]]
        if work["hosts"]:
            assert one.bring(work)[0] == 200
        judging.judge_ready_checks(30)
    assert asked[:3] == ["http://h0.example/robots.txt"] * 3, "the rules themselves may always be had"
    [check] = Check.objects.all()
    assert check.mark == "outvoted"
    assert Host.objects.get().robots_expires_at is None


def test_known_pages_make_probes_that_only_raise_doubt(client: Person) -> None:
    others = [Contributor(name) for name in ("ana", "bob", "cem")]
    known = ["http://h0.example/known", "http://h0.example/other"]
    for one in others:
        Standing.objects.create(node=one.node, passed=20, replicated=10**6, consecutive_valid=10**6)
        fetches.create_fetch(actor=client, urls=known, max_age_seconds=0)
        assert one.work()[0] == 200
    Check.objects.all().delete()
    Request.objects.all().delete()
    eve = Contributor("eve", says=a_lie)
    Standing.objects.create(
        node=eve.node, passed=20, agreed=8, replicated=10**6, consecutive_valid=8, state="trusted"
    )
    while not Probe.objects.exclude(digest="").exists():
        fetches.create_fetch(
            actor=client, urls=[f"http://h0.example/{Fetch.objects.count()}-{n}" for n in range(20)]
        )
        work = eve.lease()
        assert len({host["name"] for host in work["hosts"]}) == 1, (
            "it stands among the pages of a host that she has"
        )
    before = Standing.objects.get(node=eve.node).consecutive_valid
    assert eve.bring(work)[0] == 200
    assert set(Probe.objects.values_list("result", flat=True)) == {"doubted"}
    after = Standing.objects.get(node=eve.node)
    assert (after.caught_by, after.consecutive_valid < before) == ("", True)
    assert not Capture.objects.filter(url__in=known, node=eve.node.pk).exists(), (
        "what is known is not kept again"
    )


def test_report_made_alone_is_taken_up_when_somebody_else_comes(client: Person) -> None:
    eve = Contributor("eve", says=a_lie)
    fetch = fetches.create_fetch(actor=client, urls=urls(1))
    assert eve.work()[0] == 200
    assert _report(client, fetch)[1]["outcome"] == "nobody else could fetch it"
    services.reopen_reports()
    assert not Request.objects.exists()
    bob = Contributor("bob")
    services.reopen_reports()
    assert queries.reports(actor=client, fetch_id=fetch.pk)[0].outcome == "waiting"
    for one in (bob, Contributor("cem")):
        assert one.work()[0] == 200
        judging.judge_ready_checks(30)
    assert queries.reports(actor=client, fetch_id=fetch.pk)[0].outcome == "replaced"
    assert says_the_truth(answers_of(client, fetch)[urls(1)[0]])


def test_rules_in_dispute_are_compared_once_and_not_anew_with_every_answer(client: Person) -> None:
    """Nobody is known yet, so each answer would be compared, and each comparison asks the host again."""
    eve = Contributor("eve", says_of_robots=keep_off_pages)
    people = [eve, *(Contributor(name) for name in ("ana", "bob", "cem"))]
    fetches.create_fetch(actor=client, urls=urls(1))
    asked = 0
    for one in people * 4:
        Host.objects.update(ready_at=timezone.now() - timedelta(seconds=1))
        work = one.ask(slots=4)
        told = [request["url"] for host in work["hosts"] for request in host["requests"]]
        asked += told.count("http://h0.example/robots.txt")
        if work["hosts"]:
            assert one.bring(work)[0] == 200
        open_checks = Check.objects.filter(
            url="http://h0.example/robots.txt", state__in=(CheckState.WAITING, CheckState.READY)
        )
        assert open_checks.count() <= 1
        judging.judge_ready_checks(30)
    assert asked <= 6
