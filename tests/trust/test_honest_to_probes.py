"""Who knows our pages is honest there, and lies everywhere else: that proves nothing, and earns nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.frontier.models import Lease
from ronda.grid import fetches
from ronda.grid.models import Node
from ronda.trust import rules, services, standings
from ronda.trust.models import Standing
from ronda.trust.rules import Mark, ProbeResult, Score, State
from tests.trust.crowd import Contributor, a_lie
from tests.trust.test_lying_node import answers_of, urls

pytestmark = pytest.mark.django_db
PROBED = Score(replicated=50, checked=50, passed=50, consecutive_valid=50)


def test_probes_alone_make_nobody_trusted() -> None:
    score = Score(replicated=rules.FIRST_REPLICATED)
    for _ in range(50):
        score = rules.after_probe(score, ProbeResult.PASSED)
    assert rules.state_of(score) is State.NEW
    assert rules.most_urls(score) == rules.SMALL_BLOCK_URLS
    assert rules.replica_rate(score) == 1.0, "nor is it compared less"
    assert not rules.needs_a_probe(score)
    assert rules.state_of(score, is_alone=True) is State.TRUSTED
    for number in range(rules.AGREED_FROM):
        score = rules.after_check(score, Mark.PASSED, f"h{number}")
    assert rules.state_of(score) is State.TRUSTED
    assert rules.state_of(rules.after_check(score, Mark.OUTVOTED, "h", (1, 2))) is State.NEW


def test_it_gets_little_at_a_time_while_somebody_else_is_there(client: Person, canary: str) -> None:
    eve, ana = Contributor("eve", says=a_lie), Contributor("ana")
    standings.keep(Standing.objects.get_or_create(node=eve.node)[0], PROBED)
    assert Standing.objects.get(node=eve.node).state == "new"
    fetches.create_fetch(actor=client, urls=urls(100))
    assert sum(len(host["requests"]) for host in eve.lease()["hosts"]) <= rules.SMALL_BLOCK_URLS + 5
    Node.objects.filter(pk=ana.node.pk).delete()
    bob = Contributor("bob")
    Node.objects.filter(pk__in=[eve.node.pk]).delete()
    standings.keep(Standing.objects.get_or_create(node=bob.node)[0], PROBED)
    alone = sum(len(host["requests"]) for host in bob.lease()["hosts"])
    assert alone > rules.SMALL_BLOCK_URLS + 5, "alone, nobody could say more"


def test_all_its_lies_are_taken_back(client: Person, canary: str) -> None:
    """Though it passed probes in between."""
    eve, _ana = Contributor("eve", says=a_lie), Contributor("ana")
    fetch = fetches.create_fetch(actor=client, urls=urls(60))
    for _ in range(2):
        assert eve.work()[0] == 200
    standing = Standing.objects.get(node=eve.node)
    assert standing.passed
    assert (standing.answer_mark, standing.capture_mark, standing.vouched_at) == (0, 0, None)
    assert len(answers_of(client, fetch)) > rules.SMALL_BLOCK_URLS
    standings.keep(standing, replace(standings.score_of(standing), caught_by="votes"))
    services.take_back_answers_of_liars()
    assert not answers_of(client, fetch)


@pytest.mark.parametrize("told", [{"paused_at": "2026-01-01T00:00Z"}, {"resting_because": "it is night"}])
def test_nobody_waits_for_those_who_take_no_work(client: Person, told: dict[str, str]) -> None:
    ana, bob = Contributor("ana"), Contributor("bob")
    known = Score(passed=50, agreed=50, consecutive_valid=50, replicated=50)
    standings.keep(Standing.objects.get_or_create(node=ana.node)[0], known)
    assert {owner for owner, _country in standings.trusted_people()} == {ana.person.pk}
    Node.objects.filter(pk=ana.node.pk).update(**told)
    assert not standings.trusted_people()
    assert {owner for owner, _country in standings.present_people()} == {bob.person.pk}
    fetch = fetches.create_fetch(actor=client, urls=urls(60))
    while (work := bob.lease())["hosts"]:
        assert bob.bring(work)[0] == 200
    assert len(answers_of(client, fetch)) == 60


def test_one_person_with_many_names_holds_little(client: Person) -> None:
    """And less with each block that never comes back."""
    eve, ana = Contributor("eve"), Contributor("ana")
    fetch = fetches.create_fetch(actor=client, urls=urls(200))
    held = 0
    for number in range(6):
        eve.node = eve.register(f"name {number}")
        held += sum(len(host["requests"]) for host in eve.lease()["hosts"])
    assert 0 < held <= 2 * rules.SMALL_BLOCK_URLS
    Lease.objects.filter(owner=eve.person.pk).update(expires_at=timezone.now() - timedelta(days=1))
    again = sum(len(host["requests"]) for host in eve.lease()["hosts"])
    assert again < rules.SMALL_BLOCK_URLS
    assert ana.work()[0] == 200, "others are not kept from it"
    assert answers_of(client, fetch)


def test_blocks_that_never_come_back_make_the_next_smaller() -> None:
    sizes = [rules.most_urls(Score(), lost=lost) for lost in range(8)]
    assert sizes == [20, 20, 10, 5, 2, 1, 1, 1]
