"""Ways to lie without a made-up page: failures, refusals, answers by way of the archive; and reports that are none."""

from __future__ import annotations

import random
from string import ascii_lowercase

import pytest

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.frontier.models import Host, Lease, Request
from ronda.grid import fetches
from ronda.grid.models import AnswerState, Fetch, FetchAnswer
from ronda.policies.services import change_setting
from ronda.trust import judging, queries, services
from ronda.trust.errors import TooManyUnfoundedReports
from ronda.trust.models import Check, Standing
from ronda.trust.rules import SMALL_BLOCK_URLS
from tests.grid.warc_bodies import failure, response
from tests.people import person_with
from tests.trust.crowd import Contributor, a_lie, make_everything_due

pytestmark = pytest.mark.django_db


def urls(count: int) -> list[str]:
    return [f"http://h{number}.example/page" for number in range(count)]


def trusted(*names: str) -> list[Contributor]:
    people = [Contributor(name) for name in names]
    for one in people:
        Standing.objects.create(
            node=one.node, passed=20, agreed=10**6, state="trusted", replicated=10**6, consecutive_valid=10**6
        )
    return people


def counting(fetch: Fetch) -> list[FetchAnswer]:
    return list(fetch.counting_answers.order_by("pk"))


def fail(one: Contributor, reason: str = "bad-http") -> tuple[int, object]:
    """All of a block, said not to be had."""
    work = one.lease()
    requests = [request for host in work["hosts"] for request in host["requests"]]
    body = b"".join(failure(request["url"], request["id"], reason) for request in requests)
    return one.call("PUT", f"/grid/blocks/{work['block']}?node_id={one.node.pk}", body)


def work_off(*people: Contributor) -> None:
    is_busy = True
    while is_busy:
        is_busy = False
        for one in people:
            work = one.lease(slots=4)
            if work["hosts"]:
                assert one.bring(work)[0] == 200
                is_busy = True
        judging.judge_ready_checks(30)


def test_failures_of_one_nobody_knows_end_nothing(client: Person) -> None:
    eve, bob = Contributor("eve"), Contributor("bob")
    fetch = fetches.create_fetch(actor=client, urls=urls(1))
    assert fail(eve)[1] == {"accepted": 0}
    assert not counting(fetch)
    own = Request.objects.get(copy="")
    assert own.not_owners == [eve.person.pk]
    Request.objects.exclude(pk=own.pk).delete()
    assert fail(bob)[1] == {"accepted": 1}, "two say so"
    assert [answer.state for answer in counting(fetch)] == [AnswerState.FAILED]


def test_who_claims_failures_is_caught(client: Person) -> None:
    honest = trusted("ana", "bob", "cem")
    eve = Contributor("eve")
    fetch = fetches.create_fetch(actor=client, urls=urls(20))
    assert fail(eve)[0] == 200
    assert eve.lease()["hosts"] == [], "she waits until that is compared"
    work_off(*honest)
    standing = Standing.objects.get(node=eve.node)
    assert (standing.state, standing.caught_by) == ("quarantined", "failures")
    assert {answer.state for answer in counting(fetch)} == {AnswerState.FETCHED}
    assert len(counting(fetch)) == 20


def test_refusals_by_a_liars_rules_are_asked_again(client: Person) -> None:
    eve = Contributor(
        "eve", says_of_robots=lambda _url: response(200, b"User-agent: *\nDisallow: /\n", "text/plain")
    )
    fetch = fetches.create_fetch(actor=client, urls=urls(2))
    assert eve.bring(eve.ask(slots=4))[0] == 200
    Host.objects.update(ready_at="2026-01-01T00:00Z")
    assert eve.ask(slots=4)["hosts"] == []
    assert {(a.state, a.node_id) for a in counting(fetch)} == {(AnswerState.REFUSED, eve.node.pk)}
    Standing.objects.update_or_create(
        node=eve.node, defaults={"caught_by": "probe", "state": "quarantined", "is_to_be_voided": True}
    )
    services.take_back_answers_of_liars()
    assert not counting(fetch)
    assert set(Host.objects.values_list("robots_expires_at", flat=True)) == {None}
    work_off(*trusted("ana"))
    assert {answer.state for answer in counting(fetch)} == {AnswerState.FETCHED}
    assert Fetch.objects.get(pk=fetch.pk).is_done


def test_refusal_can_be_reported(client: Person) -> None:
    eve = Contributor(
        "eve", says_of_robots=lambda _url: response(200, b"User-agent: *\nDisallow: /\n", "text/plain")
    )
    fetch = fetches.create_fetch(actor=client, urls=urls(1))
    assert eve.bring(eve.ask(slots=4))[0] == 200
    Host.objects.update(ready_at="2026-01-01T00:00Z")
    assert eve.ask(slots=4)["hosts"] == []
    Check.objects.all().delete()
    Request.objects.all().delete()
    honest = trusted("ana", "bob")
    check = services.report_answer(actor=client, fetch_id=fetch.pk, url=urls(1)[0])
    assert check.url == "http://h0.example/robots.txt"
    for one in honest:
        Host.objects.update(ready_at="2026-01-01T00:00Z")
        assert one.bring(one.ask(slots=4))[0] == 200
        judging.judge_ready_checks(30)
    assert queries.reports(actor=client, fetch_id=fetch.pk)[0].outcome == "replaced"
    assert Host.objects.get().robots_expires_at is None
    assert Request.objects.filter(url=urls(1)[0]).exists()


def test_what_the_archive_answered_for_a_liar_is_taken_back(client: Person) -> None:
    eve = Contributor("eve", says=a_lie)
    fetches.create_fetch(actor=client, urls=urls(2))
    assert eve.work()[0] == 200
    fetch = fetches.create_fetch(actor=client, urls=urls(2), max_age_seconds=3600)
    assert {(a.reason, a.node_id) for a in counting(fetch)} == {("from the archive", eve.node.pk)}
    [ana, bob] = trusted("ana", "bob")
    services.report_answer(actor=client, fetch_id=fetch.pk, url=urls(1)[0])
    Standing.objects.update_or_create(
        node=eve.node, defaults={"caught_by": "probe", "state": "quarantined", "is_to_be_voided": True}
    )
    services.take_back_answers_of_liars()
    assert not counting(fetch)
    assert not fetches.create_fetch(actor=client, urls=urls(2), max_age_seconds=3600).is_done
    work_off(ana, bob)
    assert {answer.node_id for answer in counting(fetch)} <= {ana.node.pk, bob.node.pk}
    assert len(counting(fetch)) == 2


def test_one_nobody_knows_holds_little(client: Person) -> None:
    [ana, _bob] = trusted("ana", "bob")
    eve = Contributor("eve")
    fetches.create_fetch(actor=client, urls=urls(300))
    given = [sum(len(host["requests"]) for host in eve.lease()["hosts"]) for _ in range(3)]
    assert given == [SMALL_BLOCK_URLS, SMALL_BLOCK_URLS, 0]
    lease = Lease.objects.filter(node=eve.node.pk).earliest("pk")
    make_everything_due()
    Lease.objects.update(granted_at="2026-01-01T00:00Z")
    eve.call(
        "POST", "/grid/heartbeat", {"node_id": str(eve.node.pk), "blocks": [str(lease.block)], "state": {}}
    )
    assert Lease.objects.get(pk=lease.pk).expires_at == lease.expires_at, "nor for long"
    taken = 0
    while hosts := ana.lease(slots=1)["hosts"]:
        taken += sum(len(host["requests"]) for host in hosts)
    assert taken < 260, "nobody takes everything without bringing anything"


def test_unfounded_reports_change_nothing_and_come_to_an_end(client: Person) -> None:
    dice = random.Random(5)

    def anew(url: str) -> bytes:
        words = ("".join(dice.choices(ascii_lowercase, k=7)) for _ in range(40))
        return response(200, " ".join(words).encode(), "text/plain")

    eve = Contributor("eve", says=anew)
    fetch = fetches.create_fetch(actor=client, urls=urls(3))
    assert eve.work()[0] == 200
    director = person_with(Role.DIRECTOR, email="director@example.org")
    change_setting(actor=director, name="unfounded_reports_a_day", value=1)
    others = trusted("ana", "bob")
    for one in others:
        one.says = anew
    services.report_answer(actor=client, fetch_id=fetch.pk, url=urls(1)[0])
    work_off(*others)
    assert queries.reports(actor=client, fetch_id=fetch.pk)[0].outcome == "unclear"
    assert {answer.node_id for answer in counting(fetch)} == {eve.node.pk}, "such is the page: it stands"
    with pytest.raises(TooManyUnfoundedReports):
        services.report_answer(actor=client, fetch_id=fetch.pk, url=urls(2)[1])


def test_hosts_said_to_be_unavailable_are_tried_by_others_and_compared(client: Person) -> None:
    """Of a newcomer: to say 503 to everything would be the cheapest way to keep others from it."""
    [ana, bob] = trusted("ana", "bob")
    eve = Contributor("eve", says=lambda _url: response(503, b"later"))
    fetch = fetches.create_fetch(actor=client, urls=urls(1))
    assert eve.work()[0] == 200
    assert not counting(fetch), "it did not end"
    assert Request.objects.get(url=urls(1)[0], copy="").not_owners == [eve.person.pk]
    [check] = Check.objects.all()
    assert check.copies.get().status == 503
    # Whoever is told to wait for its host is not kept from other work meanwhile.
    fetches.create_fetch(actor=client, urls=[f"http://other{number}.example/" for number in range(40)])
    given = sum(len(host["requests"]) for host in eve.lease()["hosts"])
    assert given == SMALL_BLOCK_URLS
    work_off(ana, bob)
    assert [answer.status for answer in counting(fetch)] == [200]
    judging.judge_ready_checks(30)
    work_off(ana, bob)
    judging.judge_ready_checks(30)
    check.refresh_from_db()
    assert check.mark == "denied"


def test_too_many_requests_is_said_to_who_asked(client: Person) -> None:
    """Another one might well get the page: a 429 is no denial."""
    trusted("ana", "bob")
    eve = Contributor("eve", says=lambda _url: response(429, b"slower"))
    fetches.create_fetch(actor=client, urls=urls(1))
    assert eve.work()[0] == 200
    assert not Check.objects.exists()
