"""What a capture takes and leaves: scopes, seeds, redirects, traps, budgets; and that it goes on where it stood."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress

import pytest
from django.db import OperationalError

from ronda.demo import DemoServer, DemoWorld
from ronda.rounds import capturing, steps, traps, visiting
from ronda.rounds.models import PageRole, PageState, Visit, VisitOutcome, VisitPage
from ronda.rounds.selecting import NO_MORE_PAGES, OUT_OF_SCOPE, TOO_DEEP
from tests.rounds.at_hand import Rounds, paths_of


def roles(visit: Visit) -> Counter[str]:
    return Counter(visit.pages.filter(state=PageState.DONE).values_list("role", flat=True))


def test_scopes(rounds: Rounds, demo: DemoServer) -> None:
    page = rounds.follow(demo.base_url("rivers") + "projects/", scope="page")
    visit = rounds.visit(page)
    assert roles(visit) == {"entry": 1, "requisite": visit.requests - 1}
    assert visit.requests > 3, "with its images and style"
    prefix = rounds.follow(demo.base_url("rivers") + "projects/", scope="prefix")
    visit = rounds.visit(prefix)
    pages = visit.pages.filter(state=PageState.DONE, role__in=["page", "entry"])
    assert pages.count() > 1
    assert all("/projects/" in page.url for page in pages)
    assert visit.left_out[OUT_OF_SCOPE] > 10
    domain = rounds.follow(demo.base_url("rivers"), scope="domain", depth=1)
    visit = rounds.visit(domain)
    assert visit.pages.filter(state=PageState.LEFT, reason=TOO_DEEP).exists() == (TOO_DEEP in visit.left_out)
    assert visit.outcome == VisitOutcome.CAPTURED


def test_depth_counts_from_what_a_sitemap_names(rounds: Rounds, demo: DemoServer, world: DemoWorld) -> None:
    shallow = rounds.follow(demo.base_url("vidrio"), depth=1)  # no sitemap, no feed
    visit = rounds.visit(shallow)
    assert visit.left_out[TOO_DEEP] == visit.pages.filter(state=PageState.LEFT, reason=TOO_DEEP).count() > 0
    assert max(visit.pages.filter(state=PageState.DONE).values_list("depth", flat=True)) == 1
    named = rounds.follow(demo.base_url("census"), depth=1)
    visit = rounds.visit(named)
    assert TOO_DEEP not in visit.left_out, "what was too deep at first is not, once the sitemap names it"
    assert {page.path for page in world.timeline(world.site("census")).pages} <= paths_of(
        named.versions.get()
    )


def test_feed_is_a_seed(rounds: Rounds, demo: DemoServer) -> None:
    source = rounds.follow(demo.base_url("slow-train"), depth=1)
    visit = rounds.visit(source)
    feed = visit.pages.get(role=PageRole.FEED)
    assert visit.pages.filter(found_on=feed, state=PageState.DONE).exists()


def test_endless_calendar_and_budget_of_pages(rounds: Rounds, demo: DemoServer) -> None:
    source = rounds.follow(demo.base_url("coral"), depth=200)
    visit = rounds.visit(source)
    months = visit.pages.filter(url__contains="/calendar/", state=PageState.DONE)
    assert 12 <= months.count() <= traps.MOST_OF_A_CALENDAR
    assert visit.left_out[traps.ONE_PATTERN] > 0
    small = rounds.follow(demo.base_url("coral"), depth=200, max_pages=5, scope="domain")
    visit = rounds.visit(small)
    assert (visit.outcome, visit.reason) == ("captured", "ended at 5 pages")
    assert roles(visit)["entry"] + roles(visit)["page"] == 5
    assert visit.left_out[NO_MORE_PAGES] > 0
    assert small.versions.get().documents == visit.requests - 1, "it has no sitemap"


def test_budgets_of_bytes_and_time(rounds: Rounds, demo: DemoServer) -> None:
    source = rounds.follow(demo.base_url("lamps"), max_bytes=20_000)
    visit = rounds.visit(source)
    assert (visit.outcome, visit.reason) == ("captured", "ended at 20,000 bytes")
    assert 20_000 <= visit.size_bytes < 200_000
    assert visit.pages.filter(state=PageState.LEFT).exists()
    source = rounds.follow(demo.base_url("velo"), max_seconds=0)
    visit = rounds.visit(source)
    assert (visit.outcome, visit.reason) == ("exhausted", "ended after 0 seconds")


def test_session_ids_are_no_pages(rounds: Rounds, demo: DemoServer, world: DemoWorld) -> None:
    source = rounds.follow(demo.base_url("lamps"))
    visit = rounds.visit(source)
    assert not visit.pages.filter(url__contains="sid=").exists()
    site = world.site("lamps")
    assert {page.path for page in world.timeline(site).pages} <= paths_of(source.versions.get())


def test_redirects(rounds: Rounds, demo: DemoServer) -> None:
    moved = rounds.follow(demo.base_url("birdsong") + "old-home")
    visit = rounds.visit(moved)
    entry, target = visit.pages.filter(role=PageRole.ENTRY).order_by("pk")
    assert entry.capture.status == 301
    assert entry.capture.url == entry.url
    assert (target.url, target.capture.status) == (demo.base_url("birdsong"), 200)
    assert visit.pages.filter(role=PageRole.PAGE, state=PageState.DONE).count() > 3
    away = visit.pages.get(url__endswith="/partner")
    assert away.capture.status == 302
    assert visit.pages.get(found_on=away).reason == OUT_OF_SCOPE
    assert rounds.visit(moved).outcome == VisitOutcome.UNCHANGED

    elsewhere = rounds.follow(demo.base_url("birdsong") + "partner")
    visit = rounds.visit(elsewhere)
    assert visit.outcome == VisitOutcome.CAPTURED, "a source that moved to another host is followed there"
    assert roles(visit)["entry"] == 2

    ring = rounds.follow(demo.base_url("registro") + "ring/1", scope="page")
    visit = rounds.visit(ring)
    assert (visit.outcome, visit.reason) == ("down", "nothing but redirects")


def test_failures_are_outcomes(rounds: Rounds, demo: DemoServer) -> None:
    source = rounds.follow(demo.base_url("water-board"))
    visit = rounds.visit(source)
    assert (visit.outcome, visit.failures, source.versions.get().failures) == ("captured", 1, 1)
    assert visit.pages.get(url__endswith="/status").status == 500
    refused = rounds.follow(demo.base_url("imprenta"))
    visit = rounds.visit(refused)
    private = visit.pages.filter(state=PageState.REFUSED)
    assert {page.reason for page in private} == {"refused by robots.txt: Disallow: /private/"}


def test_goes_on_where_it_stood(
    rounds: Rounds, demo: DemoServer, world: DemoWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that dies in the middle of a step leaves nothing of it; the next one does it again."""
    source = rounds.follow(demo.base_url("rivers"))
    visiting.open_due_visits()
    visit = source.visits.get()
    ask_for = capturing.ask_for

    def die(*given: object) -> None:
        ask_for(*given)  # type: ignore[arg-type]
        raise OperationalError("the worker was killed")

    for _ in range(6):
        steps.go_on(visit.pk)
        rounds.work()
        pages = list(visit.pages.order_by("pk").values_list("url", "state"))
        with monkeypatch.context() as patch, suppress(OperationalError):
            patch.setattr(capturing, "ask_for", die)
            steps.go_on(visit.pk)
        assert list(visit.pages.order_by("pk").values_list("url", "state")) == pages
    visit = rounds.finish(source)
    assert {page.path for page in world.timeline(world.site("rivers")).pages} <= paths_of(
        source.versions.get()
    )
    assert VisitPage.objects.values("url_digest").distinct().count() == VisitPage.objects.count()
    assert visit.requests == visit.pages.exclude(state=PageState.LEFT).count()


def test_web_process_reads_a_few_pages_and_leaves_the_rest_to_workers(
    rounds: Rounds, demo: DemoServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "MOST_PAGES", 3)
    pushed: list[int] = []
    monkeypatch.setattr(steps.pushing, "push", pushed.append)
    source = rounds.follow(demo.base_url("rivers"))
    visiting.open_due_visits()
    visit = source.visits.get()
    answered = visit.pages.filter(state=PageState.ANSWERED)
    while answered.count() < 5:
        steps.go_on(visit.pk)
        rounds.work()
    before = answered.count()
    pushed.clear()
    steps.go_on_here(visit.pk)
    assert (answered.count(), pushed) == (before - 3, [visit.pk])
    assert rounds.finish(source).outcome == VisitOutcome.CAPTURED
