"""Feeds and sitemaps between visits: one small request, a signal when they have news, and no more where they lie."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from ronda.archive.models import Capture
from ronda.demo import DemoClock, DemoServer
from ronda.frontier.models import Batch
from ronda.rounds import beacon_times, beacons, fingerprints, pushing
from ronda.rounds.models import Beacon, Signal, Source
from tests.rounds.at_hand import Rounds

SITE = "boreal"  # with a sitemap and a feed

FEED = b"""<?xml version="1.0"?><rss><channel><title>News</title><lastBuildDate>%s</lastBuildDate>
<item><title>%s</title><link>https://a.example/1</link><pubDate>Mon, 01 Jun 2026 08:00:00 GMT</pubDate></item>
</channel></rss>"""
SITEMAP = b"""<urlset><url><loc>https://a.example/</loc><lastmod>%s</lastmod></url></urlset>"""


def test_only_entries_count() -> None:
    assert fingerprints.fingerprint(FEED % (b"Monday", b"One")) == fingerprints.fingerprint(
        FEED % (b"Tuesday", b"One")
    )
    assert fingerprints.fingerprint(FEED % (b"Monday", b"One")) != fingerprints.fingerprint(
        FEED % (b"Monday", b"Two")
    )
    assert fingerprints.fingerprint(SITEMAP % b"2026-06-01") != fingerprints.fingerprint(
        SITEMAP % b"2026-06-02"
    )


@given(st.binary(max_size=2000))
def test_whatever_comes_has_a_fingerprint(body: bytes) -> None:
    assert len(fingerprints.fingerprint(body)) == 32


def test_where_it_pays() -> None:
    day = 86400.0
    assert beacon_times.pays(interval_seconds=day, judged=0, right=0)
    assert not beacon_times.pays(interval_seconds=3600, judged=0, right=0), "a visit is no dearer"
    assert not beacon_times.pays(interval_seconds=day, judged=10, right=1), "it cries wolf"
    assert beacon_times.pays(interval_seconds=day, judged=10, right=8)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """What would be put in the workers' queue."""
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(pushing, "push_beacon", lambda *ids: asked.append(ids))
    return asked


def _look(rounds: Rounds) -> None:
    Beacon.objects.update(next_look_at=timezone.now())
    beacons.look_at_due()
    while rounds.work():
        pass


def test_a_feed_tells_of_a_change(
    rounds: Rounds, demo: DemoServer, clock: DemoClock, read: list[tuple[int, int]]
) -> None:
    source = rounds.follow(demo.base_url(SITE), predictor="simple_notified")
    rounds.visit(source)
    kinds = set(source.beacons.values_list("kind", flat=True))
    assert kinds == {"feed", "sitemap"}
    kept = Capture.objects.count()

    _look(rounds)
    assert read == []
    assert Capture.objects.count() == kept, "nothing new is not put on record"
    assert set(source.beacons.values_list("looks", flat=True)) == {1}

    source.refresh_from_db()
    planned = source.next_visit_at
    Source.objects.update(visited_at=timezone.now() - timedelta(days=1))
    clock.advance(timedelta(days=5))
    _look(rounds)
    assert len(read) == 2
    for beacon_id, capture_id in read:
        assert Capture.objects.get(pk=capture_id).source == source.pk
        beacons.read(beacon_id, capture_id)
    assert set(Signal.objects.values_list("kind", flat=True)) == {"feed", "sitemap"}
    source.refresh_from_db()
    assert source.next_visit_at < planned
    assert "has news" in source.next_visit_because

    visit = rounds.visit(source)
    assert (visit.cause, visit.outcome) == ("signal", "captured")
    assert set(Signal.objects.values_list("was_right", flat=True)) == {True}
    beacons.forget_requests()
    assert not Batch.objects.filter(purpose=beacons.BEACON).exists()


def test_looked_at_where_its_predictor_asks_for_it(rounds: Rounds, demo: DemoServer) -> None:
    source = rounds.follow(demo.base_url(SITE), predictor="simple_notified")
    rounds.visit(source)
    assert set(source.beacons.values_list("next_look_at", flat=True)) == {None}, "T is 24 h: not asked for"
    now = timezone.now()
    source.refresh_from_db()
    source.next_visit_at = now + timedelta(days=20)
    beacon_times.set_times(source, is_wanted=True, now=now)
    (at,) = set(source.beacons.values_list("next_look_at", flat=True))
    assert now < at < source.next_visit_at
    source.every_seconds = 20 * 86400
    beacon_times.set_times(source, is_wanted=True, now=now)
    assert set(source.beacons.values_list("next_look_at", flat=True)) == {None}, "somebody set an interval"
    source.every_seconds = None
    beacon_times.set_times(source, is_wanted=True, now=now)
    assert None not in source.beacons.values_list("next_look_at", flat=True)
    beacon_times.set_times(source, is_wanted=False, now=now)
    assert set(source.beacons.values_list("next_look_at", flat=True)) == {None}
