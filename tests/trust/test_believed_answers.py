"""Which answers others get from the archive, and what becomes of one that turns out to be doubtful."""

from __future__ import annotations

import pytest
from django.test import Client

from ronda.accounts.models import Person, RoleGrant
from ronda.accounts.roles import Role
from ronda.frontier.models import Request
from ronda.grid import fetches
from ronda.grid.fetches_api import as_result
from ronda.grid.models import AnswerState, Fetch, FetchAnswer
from ronda.trust import judging, queries, services, standings
from ronda.trust.models import Check, Standing
from tests.trust.crowd import Contributor, a_lie

pytestmark = pytest.mark.django_db
URL = "http://h0.example/page"


def trusted(name: str, country: str = "DE") -> Contributor:
    someone = Contributor(name, country=country)
    Standing.objects.create(
        node=someone.node, passed=20, agreed=10**6, state="trusted", replicated=10**6, consecutive_valid=10**6
    )
    return someone


def unsampled(name: str, country: str = "") -> Contributor:
    """A liar of whose answers none is compared unless somebody complains."""
    someone = Contributor(name, says=a_lie, country=country)
    Standing.objects.create(node=someone.node, replicated=10**6, consecutive_valid=10**6)
    return someone


def is_answered_from_archive(client: Person) -> bool:
    fetch = fetches.create_fetch(actor=client, urls=[URL], max_age_seconds=60)
    fetches.cancel_fetch(actor=client, fetch_id=fetch.pk) if not fetch.is_done else None
    return fetch.is_done


def fetched_by(client: Person, someone: Contributor) -> Fetch:
    fetch = fetches.create_fetch(actor=client, urls=[URL])
    assert someone.work()[0] == 200
    return fetch


def report(client: Person, fetch: Fetch, *others: Contributor) -> str:
    services.report_answer(actor=client, fetch_id=fetch.pk, url=URL)
    for one in others:
        assert one.work()[0] == 200
        judging.judge_ready_checks(30)
    [told] = queries.reports(actor=client, fetch_id=fetch.pk)
    return str(told.outcome)


def test_unknown_nodes_do_not_answer_others_from_the_archive(client: Person) -> None:
    eve, _ana = unsampled("eve"), trusted("ana")
    fetched_by(client, eve)
    assert not is_answered_from_archive(client)


def test_trusted_nodes_and_administrators_do(client: Person) -> None:
    ana, eve = trusted("ana"), unsampled("eve")
    fetched_by(client, ana)
    assert is_answered_from_archive(client)
    Standing.objects.filter(node=ana.node).update(state="new")
    assert not is_answered_from_archive(client)
    RoleGrant.objects.create(person=ana.person, role=Role.ADMINISTRATOR)
    assert is_answered_from_archive(client)
    assert eve.node.pk != ana.node.pk


def test_what_came_before_a_passed_check_does(client: Person) -> None:
    bob, _ana = Contributor("bob"), trusted("ana")
    fetched_by(client, bob)
    assert not is_answered_from_archive(client)
    standing = standings.locked([bob.node.pk])[bob.node.pk]
    standings.vouch(standing)
    standing.save()
    assert is_answered_from_archive(client)


@pytest.mark.parametrize("is_honest", [True, False])
def test_what_was_compared_does_if_others_agree(client: Person, is_honest: bool) -> None:
    bob, ana, cem = Contributor("bob"), trusted("ana"), trusted("cem")
    bob.says = bob.says if is_honest else a_lie
    fetch = fetched_by(client, bob)
    for one in (ana, cem):
        work = one.lease()
        assert not work["hosts"] or one.bring(work)[0] == 200
        judging.judge_ready_checks(30)
    assert is_answered_from_archive(client)
    answer = FetchAnswer.objects.filter(url=URL, state=AnswerState.FETCHED).latest("pk")
    assert answer.node_id in ({bob.node.pk, ana.node.pk} if is_honest else {ana.node.pk, cem.node.pk})
    if not is_honest:
        [check] = Check.objects.all()
        doubt = fetch.counting_answers.get().doubt
        assert (check.mark, doubt) == ("abroad", "Trusted nodes in other countries got something else.")


def test_liar_without_a_country_is_outvoted_and_its_answer_replaced(client: Person) -> None:
    """Nobody complained: it was drawn to be compared."""
    eve, ana, boss = Contributor("eve", says=a_lie, country=""), trusted("ana"), trusted("boss", country="")
    fetch = fetched_by(client, eve)
    for one in (ana, boss):
        assert one.work()[0] == 200
        judging.judge_ready_checks(30)
    assert Check.objects.get().mark == "stray"
    assert fetch.counting_answers.get().node_id == boss.node.pk
    assert Standing.objects.get(node=eve.node).failed == 1


@pytest.mark.parametrize("country", ["", "TV"])
def test_report_is_settled_by_two_who_agree_wherever_the_accused_is(client: Person, country: str) -> None:
    eve, ana, bob = unsampled("eve", country), trusted("ana"), Contributor("bob", country="CL")
    fetch = fetched_by(client, eve)
    assert report(client, fetch, ana, bob) == "replaced"
    assert fetch.counting_answers.get().node_id == bob.node.pk


def test_what_nobody_can_settle_is_shown_as_doubtful(client: Person) -> None:
    eve, ana = unsampled("eve"), trusted("ana")
    fetch = fetched_by(client, eve)
    assert report(client, fetch, ana) == "unclear"
    assert not Request.objects.exists()
    [line] = [as_result(answer) for answer in fetches.answers(actor=client, fetch_id=fetch.pk)]
    assert (line["state"], line["doubt"]) == (
        "fetched",
        "It was reported, and other nodes' answers did not settle whether it is right.",
    )
    browser = Client()
    browser.force_login(client)
    page = browser.get(f"/fetches/{fetch.pk}").content.decode()
    assert ">doubtful<" in page


def test_answers_asked_of_a_country_are_not_replaced_from_another(client: Person) -> None:
    eve, ana, bob = unsampled("eve", "TV"), trusted("ana"), trusted("bob")
    fetch = fetches.create_fetch(actor=client, urls=[URL], vantage=["TV"])
    assert eve.work()[0] == 200
    assert report(client, fetch, ana, bob) == "unclear"
    answer = fetch.counting_answers.get()
    assert (answer.node_id, bool(answer.doubt)) == (eve.node.pk, True)
