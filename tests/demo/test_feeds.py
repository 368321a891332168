"""Sitemaps and feeds are well formed, and say the truth about the schedule."""

from __future__ import annotations

from datetime import datetime
from email.utils import parsedate_to_datetime
from xml.etree import ElementTree

from ronda.demo import DemoClock, DemoServer, DemoWorld, FeedKind
from tests.demo.conftest import fetch

SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
ATOM = "{http://www.w3.org/2005/Atom}"


def test_sitemaps_list_every_page_with_its_last_change(
    world: DemoWorld, clock: DemoClock, server: DemoServer
) -> None:
    for site in world.sites:
        answer = fetch(server.base_url(site) + "sitemap.xml")
        assert answer.headers["Content-Type"].startswith("application/xml") == site.has_sitemap
        if not site.has_sitemap:
            continue
        rows = {
            row.findtext(f"{SITEMAP}loc"): datetime.fromisoformat(row.findtext(f"{SITEMAP}lastmod") or "")
            for row in ElementTree.fromstring(answer.body)
        }
        for page in world.pages(site):
            url = server.base_url(site).rstrip("/") + page.path
            assert rows[url] == world.snapshot(site, page.path, clock.now()).changed_at


def test_feeds_name_the_latest_changes(world: DemoWorld, clock: DemoClock, server: DemoServer) -> None:
    for site in world.sites:
        answer = fetch(server.base_url(site) + "feed.xml")
        assert answer.headers["Content-Type"].startswith("application/") == (site.feed is not FeedKind.NONE)
        if site.feed is FeedKind.NONE:
            continue
        root = ElementTree.fromstring(answer.body)
        if site.feed is FeedKind.RSS:
            moments = [parsedate_to_datetime(item.findtext("pubDate") or "") for item in root.iter("item")]
            links = [item.findtext("link") for item in root.iter("item")]
        else:
            entries = list(root.iter(f"{ATOM}entry"))
            moments = [datetime.fromisoformat(entry.findtext(f"{ATOM}updated") or "") for entry in entries]
            links = [link.get("href") for entry in entries for link in entry.iter(f"{ATOM}link")]
        changes = world.changes(site, world.epoch, clock.now())
        truth = [change for change in changes if change.story or not site.publishes_stories]
        assert moments == [change.at for change in truth[::-1][:15]]
        assert links
        assert fetch(links[0] or "").status == 200


def test_feeds_are_conditional_too(server: DemoServer) -> None:
    url = server.base_url("world-desk") + "feed.xml"
    assert fetch(url, headers={"If-None-Match": fetch(url).headers["ETag"]}).status == 304
