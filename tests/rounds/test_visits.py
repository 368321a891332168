"""Sources of the demo web over time: captured, looked at again, changed, down, refused, cancelled."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from django.db.models.functions import Now
from django.utils import timezone
from pytest_django import Settings
from warcio.archiveiterator import ArchiveIterator

from ronda.accounts.roles import Role
from ronda.archive.models import Capture
from ronda.demo import DemoClock, DemoServer, DemoWorld
from ronda.errors import Forbidden
from ronda.frontier.models import Batch, Host, Request, Seen
from ronda.grid.leasing import lease_block
from ronda.rounds import closing, listening, schedule, steps, version_making, visiting
from ronda.rounds.errors import NoLongerFollowed, NoVisitOpen, VisitEnding
from ronda.rounds.models import PageState, Source, SourceState, Version, Visit, VisitOutcome, VisitPage
from tests.demo.conftest import fetch
from tests.node.origin import Visitor
from tests.people import person_with
from tests.rounds.at_hand import Rounds, paths_of
from tests.rounds.scripted_sites import site
from tests.running import free_port

SITE = "boreal"  # with a sitemap, a feed, a PDF and both validators, and no noise


def archive_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in (folder / "archive").glob("*.warc.gz"))


def test_three_versions(
    rounds: Rounds,
    demo: DemoServer,
    world: DemoWorld,
    clock: DemoClock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[Version] = []
    monkeypatch.setattr(listening, "_listeners", [told.append])
    source = rounds.follow(demo.base_url(SITE))
    visit = rounds.visit(source)
    assert (visit.cause, visit.outcome, visit.failures) == ("first", "captured", 0)
    first = source.versions.get()
    standing = {page.path for page in world.timeline(world.site(SITE)).pages}
    assert standing | {
        "/sitemap.xml",
        "/assets/site.js",
        "/assets/logo.svg",
        "/assets/report.pdf",
    } <= paths_of(first)
    assert set(visit.left_out) == {"out of scope"}
    captures = Capture.objects.filter(visit=visit.pk)
    assert {capture.source for capture in captures} == {source.pk}
    assert first.documents == visit.requests == captures.count()
    assert first.bytes_stored == sum(capture.length for capture in captures)
    assert visit.size_bytes == sum(capture.page_bytes for capture in captures), "as it came, not as packed"
    assert first.warc_files == [captures[0].file.name]
    closing.forget_requests()
    assert not Batch.objects.exists()
    assert not Seen.objects.exists()

    # Looked at again: nothing but a row.
    before = archive_bytes(tmp_path), Capture.objects.count(), VisitPage.objects.count()
    visit = rounds.visit(source)
    assert (visit.cause, visit.outcome, visit.size_bytes) == ("schedule", "unchanged", 0)
    assert 1 <= visit.requests <= 6
    assert before == (archive_bytes(tmp_path), Capture.objects.count(), VisitPage.objects.count())
    source.refresh_from_db()
    assert source.next_visit_because not in ("", schedule.AS_SET), "its predictor says why"
    assert source.next_visit_at == visit.ended_at + timedelta(seconds=source.auto_seconds)

    # Asked for by hand: all of it is looked at, and still nothing is new.
    visiting.ask_for_visit(actor=rounds.person, source_id=source.pk)
    visit = rounds.finish(source)
    assert (visit.cause, visit.outcome) == ("hand", "unchanged")
    assert visit.requests == first.documents
    assert not visit.pages.exists()

    # Changed: what did not is referred to.
    urls = [demo.base_url(SITE) + path[1:] for path in standing]
    bodies = {url: fetch(url).body for url in urls}
    clock.advance(timedelta(days=3))
    changed = {url for url in urls if fetch(url).body != bodies[url]}
    assert changed
    visit = rounds.visit(source)
    assert visit.outcome == VisitOutcome.CAPTURED
    second = source.versions.get(number=2)
    assert told == [first, second]
    fresh = visit.pages.filter(state=PageState.DONE, capture__refers_to=None)
    assert changed == {page.url for page in fresh if page.url in bodies}
    assert second.bytes_saved > 0
    assert second.bytes_stored < first.bytes_stored
    assert paths_of(second) >= standing

    # Its texts are found once they are all read.
    version_making.note_index_seconds()
    assert set(source.versions.values_list("index_seconds", flat=True)) == {None}
    Capture.objects.update(is_text_due=False)
    version_making.note_index_seconds()
    assert all(version.index_seconds > 0 for version in source.versions.all())


def test_down_is_tried_again_with_patience(rounds: Rounds) -> None:
    source = rounds.follow(f"http://127.0.0.1:{free_port()}/")
    asked = []
    for failed in (1, 2):
        visit = rounds.visit(source)
        assert visit.outcome == VisitOutcome.DOWN
        assert visit.reason == "connect"
        assert visit.cause == ("first" if failed == 1 else "schedule")
        source.refresh_from_db()
        assert source.failed_visits == failed
        assert source.next_visit_at == visit.ended_at + timedelta(seconds=300 * failed)
        assert source.next_visit_because == schedule.DOWN
        asked.append(Host.objects.get().robots_expires_at)
    assert asked[1] > asked[0], "even its robots.txt is asked for anew"
    assert not source.versions.exists()
    assert not VisitPage.objects.exists()


def test_robots_say_no(rounds: Rounds, demo: DemoServer) -> None:
    source = rounds.follow(demo.base_url("outlet"))
    visit = rounds.visit(source)
    assert (visit.outcome, visit.reason) == ("refused", "refused by robots.txt: Disallow: /")
    source.refresh_from_db()
    assert source.next_visit_because == schedule.REFUSED


def test_page_that_is_gone_is_down(rounds: Rounds, demo: DemoServer) -> None:
    source = rounds.follow(demo.base_url(SITE) + "no/such/page", scope="page")
    visit = rounds.visit(source)
    assert (visit.outcome, visit.reason) == ("down", "answered with status 404")


def test_cancel(rounds: Rounds, demo: DemoServer) -> None:
    source = rounds.follow(demo.base_url(SITE))
    with pytest.raises(NoVisitOpen):
        visiting.cancel_visit(actor=rounds.person, source_id=source.pk)
    visiting.open_due_visits()
    visit = source.visits.get()
    for _ in range(3):
        steps.go_on(visit.pk)
        rounds.work()
    assert visit.pages.filter(state=PageState.QUEUED).exists()
    visiting.cancel_visit(actor=rounds.person, source_id=source.pk)
    visiting.cancel_visit(actor=rounds.person, source_id=source.pk)
    visit = rounds.finish(source)
    assert visit.outcome == VisitOutcome.CANCELLED
    assert not Request.objects.exists()
    assert not source.versions.exists()
    source.refresh_from_db()
    assert source.next_visit_because == schedule.CANCELLED


def test_no_visit_is_promised_while_one_is_being_cancelled(rounds: Rounds, demo: DemoServer) -> None:
    source = rounds.follow(demo.base_url("boreal"), scope="prefix", max_pages=6)
    visiting.ask_for_visit(actor=rounds.person, source_id=source.pk)
    visiting.cancel_visit(actor=rounds.person, source_id=source.pk)
    with pytest.raises(VisitEnding):
        visiting.ask_for_visit(actor=rounds.person, source_id=source.pk)
    rounds.finish(source)
    visiting.ask_for_visit(actor=rounds.person, source_id=source.pk)
    assert rounds.finish(source).outcome == VisitOutcome.CAPTURED


def test_unchanged_page_costs_one_record(rounds: Rounds, demo: DemoServer, tmp_path: Path) -> None:
    source = rounds.follow(demo.base_url(SITE))
    rounds.visit(source)
    before = archive_bytes(tmp_path)
    visiting.ask_for_visit(actor=rounds.person, source_id=source.pk)
    visit = rounds.finish(source)
    unchanged = list(Capture.objects.filter(visit=visit.pk))
    assert len(unchanged) > 10
    assert all(one.refers_to_id and one.length == one.response_length for one in unchanged)
    assert (archive_bytes(tmp_path) - before) / len(unchanged) < 700, "requests were half of it"
    kinds: Counter[str] = Counter()
    for path in (tmp_path / "archive").glob("*.warc.gz"):
        with path.open("rb") as file:
            kinds.update(record.rec_type for record in ArchiveIterator(file))
    assert kinds["revisit"] == len(unchanged)
    assert kinds["request"] == kinds["response"], "what was kept anew has its request"


def test_who_may_ask(rounds: Rounds, demo: DemoServer) -> None:
    source = rounds.follow(demo.base_url(SITE))
    reader = person_with(Role.READER, email="reader@example.org")
    other = person_with(Role.SUBSCRIBER, email="other@example.org")
    for person in (reader, other):
        with pytest.raises(Forbidden):
            visiting.ask_for_visit(actor=person, source_id=source.pk)
    Source.objects.update(owner=other)
    visit = visiting.ask_for_visit(actor=other, source_id=source.pk)
    assert visiting.ask_for_visit(actor=other, source_id=source.pk) == visit, "one at a time"
    Source.objects.update(state=SourceState.ENDED)
    with pytest.raises(NoLongerFollowed):
        visiting.ask_for_visit(actor=other, source_id=source.pk)


def test_only_what_is_due_and_not_too_many(rounds: Rounds) -> None:
    from ronda.policies.services import change_setting

    change_setting(actor=rounds.person, name="most_open_visits", value=2)
    now = timezone.now()
    late = [
        rounds.follow(f"http://a.example/{n}", next_visit_at=now - timedelta(hours=n)) for n in range(1, 4)
    ]
    rounds.follow("http://a.example/later", next_visit_at=now + timedelta(hours=1))
    rounds.follow("http://a.example/paused", state=SourceState.PAUSED)
    assert visiting.open_due_visits() == 2
    assert visiting.open_due_visits() == 0
    assert {visit.source for visit in Visit.objects.all()} == set(late[1:]), "the longest waiting first"


def test_asking_while_it_is_looked_at_makes_it_a_capture(rounds: Rounds, demo: DemoServer) -> None:
    source = rounds.follow(demo.base_url("rivers"))
    rounds.visit(source)
    Source.objects.update(next_visit_at=timezone.now())
    visiting.open_due_visits()
    visit = source.visits.latest("pk")
    steps.go_on(visit.pk)
    assert Visit.objects.get(pk=visit.pk).state == "probing"
    assert visiting.ask_for_visit(actor=rounds.person, source_id=source.pk) == visit
    visit = rounds.finish(source)
    assert (visit.cause, visit.outcome) == ("hand", "unchanged")
    assert visit.requests > 16


def test_source_that_may_no_longer_be_fetched(rounds: Rounds, settings: Settings) -> None:
    """Followed while private networks were allowed."""
    source = rounds.follow("http://127.0.0.1:1/")
    settings.RONDA = replace(settings.RONDA, allow_private_networks=False)
    visit = rounds.visit(source)
    assert visit.outcome == VisitOutcome.REFUSED
    assert "address" in visit.reason or "Port" in visit.reason


def test_site_that_closes_every_connection(rounds: Rounds) -> None:
    async def hang_up(_path: str, visitor: Visitor) -> None:
        visitor.writer.close()

    with site(hang_up) as url:
        source = rounds.follow(url)
        visiting.ask_for_visit(actor=rounds.person, source_id=source.pk)
        visit = rounds.finish(source)
        assert (visit.outcome, visit.state) == (VisitOutcome.DOWN, "ended")
        visiting.ask_for_visit(actor=rounds.person, source_id=source.pk)
        visit = source.visits.latest("pk")
        steps.go_on(visit.pk)
        Host.objects.update(ready_at=Now() - timedelta(seconds=1), backoff_until=None)
        work = lease_block(actor=rounds.person, node_id=rounds.node.pk, slots=16)
        assert work.hosts, "a node has it in hand"
        visiting.cancel_visit(actor=rounds.person, source_id=source.pk)
        steps.go_on(visit.pk)
        visit.refresh_from_db()
        assert visit.outcome == VisitOutcome.CANCELLED, "whatever becomes of what the node holds"
