"""Who brings everything but the probes is caught by that: by chance nobody leaves out the same ones every time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ronda.accounts.models import Person
from ronda.grid import fetches
from ronda.grid.models import FetchAnswer
from ronda.trust import rules
from ronda.trust.models import Incident, Standing
from ronda.trust.rules import ProbeResult, Score, State, state_of
from tests.trust.crowd import Contributor, a_lie

MANY = 60


def urls(count: int) -> list[str]:
    return [f"http://h{number}.example/page" for number in range(count)]


@pytest.mark.django_db
@pytest.mark.parametrize("country", ["CL", ""])
def test_liar_who_leaves_probes_out_is_caught_within_60_urls(
    client: Person, canary: str, country: str
) -> None:
    eve = Contributor("eve", says=a_lie, leaves_out_canary=True, country=country)
    fetches.create_fetch(actor=client, urls=urls(200))
    status = 200
    for _ in range(MANY):
        status, answer = eve.work()
        if status != 200:
            break
    assert status == 409, "she is still at it"
    assert "It leaves out pages" in answer["detail"]
    assert FetchAnswer.objects.filter(node=eve.node).count() <= 60
    assert Incident.objects.get(node=eve.node).kind == "caught"


@pytest.mark.django_db
def test_who_registers_again_goes_on_where_the_last_machine_stopped(client: Person, canary: str) -> None:
    eve = Contributor("eve", says=a_lie, leaves_out_canary=True)
    fetches.create_fetch(actor=client, urls=urls(300))
    for number in range(MANY):
        eve.node = eve.register(f"eve-{number}")
        if eve.work()[0] != 200:
            break
    assert Standing.objects.get(node=eve.node).caught_by == "skipped"
    assert FetchAnswer.objects.filter(node__owner=eve.person).count() <= 60


@pytest.mark.django_db
def test_interrupted_node_is_not_accused(client: Person, canary: str) -> None:
    """It brings next to nothing of a block; then it comes to the canary again, and all is well."""
    ana = Contributor("ana")
    fetches.create_fetch(actor=client, urls=urls(200))
    work = ana.lease()
    ana.leaves_out_canary = True
    assert ana.bring({**work, "hosts": work["hosts"][:2]})[0] == 200
    standing = Standing.objects.get(node=ana.node)
    assert standing.luck > 0.5
    ana.leaves_out_canary = False
    assert ana.work()[0] == 200
    standing.refresh_from_db()
    assert (standing.skipped, standing.luck, standing.caught_by) == (0, 1.0, "")


# How many were asked for, and how many of them did not come.
uploads = st.lists(st.tuples(st.integers(0, 100), st.integers(0, 100)), max_size=12)


@given(uploads)
def test_luck_only_shrinks_until_a_probe_is_passed(brought: list[tuple[int, int]]) -> None:
    score = Score()
    for answered, missing in brought:
        asked = answered + missing
        after = rules.after_skipping(score, asked, answered)
        assert 0 < after.luck <= score.luck
        assert (after.luck == score.luck) == (answered == 0), "who brings nothing has left out nothing"
        assert bool(after.caught_by) == (after.luck < rules.CAUGHT_LUCK)
        assert 1 <= (rules.most_urls(after) or 1) <= rules.SMALL_BLOCK_URLS
        if after.caught_by:
            return
        score = after
    passed = rules.after_probe(score, ProbeResult.PASSED)
    assert (passed.luck, passed.skipped) == (1.0, 0)
    assert rules.after_probe(score, ProbeResult.AGREED).luck == score.luck


def test_machines_of_one_person_share_only_what_can_be_held_against_all() -> None:
    unlucky, dubious = Score(luck=0.05, skipped=1), Score(luck=1e-4, skipped=3)
    assert rules.beside(Score(), [unlucky]) == unlucky
    known = Score(passed=3, checked=3)
    assert rules.beside(known, [unlucky]) == known, (
        "one interruption of another machine says nothing about it"
    )
    assert rules.beside(known, [dubious]).luck == dubious.luck
    trusted = Score(passed=20, checked=20, agreed=20)
    assert state_of(trusted) is State.TRUSTED
    assert rules.beside(trusted, [dubious]) == trusted
