"""Sitemaps, RSS and Atom: what a site says about its own changes. All of it is true."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from xml.sax.saxutils import escape

from ronda.demo.origins import Origins
from ronda.demo.pages import FEED_PATH, PageRenderer
from ronda.demo.reply import http_date
from ronda.demo.sites import FeedKind, Site
from ronda.demo.structure import story_path
from ronda.demo.world import DemoWorld

FEED_ENTRIES = 15
SITEMAP_STORIES = 200


@dataclass(frozen=True)
class Entry:
    """One item of a feed: a story, or a change of a standing page."""

    title: str
    path: str
    at: datetime


def sitemap(world: DemoWorld, origins: Origins, site: Site, moment: datetime) -> str:
    """Every standing page and the newest stories, each with the moment of its last change."""
    timeline = world.timeline(site)
    rows = [(page.path, timeline.at(page.path, moment).changed_at) for page in timeline.pages]
    rows += [
        (story_path(number), at)
        for number, at in timeline.latest_stories(timeline.story_count(moment), SITEMAP_STORIES)
    ]
    base = origins.url(site).rstrip("/")
    urls = "".join(
        f"<url><loc>{escape(base + path)}</loc><lastmod>{at.isoformat()}</lastmod></url>\n"
        for path, at in rows
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{urls}</urlset>\n'
    )


def feed(world: DemoWorld, renderer: PageRenderer, origins: Origins, site: Site, moment: datetime) -> str:
    """The feed of a site, newest first."""
    entries = list(_entries(world, renderer, site, moment))
    updated = entries[0].at if entries else world.epoch
    base = origins.url(site).rstrip("/")
    write = _atom if site.feed is FeedKind.ATOM else _rss
    return write(site, base, updated, entries)


def _entries(world: DemoWorld, renderer: PageRenderer, site: Site, moment: datetime) -> Iterable[Entry]:
    timeline = world.timeline(site)
    if site.publishes_stories:
        for number, at in timeline.latest_stories(timeline.story_count(moment), FEED_ENTRIES):
            yield Entry(renderer.story_title(site, number), story_path(number), at)
        return
    for change in reversed(timeline.changes(world.epoch, moment)[-FEED_ENTRIES:]):
        page = timeline.page(change.path)
        yield Entry(page.title if page else site.title, change.path, change.at)


def _rss(site: Site, base: str, updated: datetime, entries: Iterable[Entry]) -> str:
    items = "".join(
        f"<item><title>{escape(entry.title)}</title><link>{base}{entry.path}</link>"
        f'<guid isPermaLink="false">{site.name}:{entry.path}:{int(entry.at.timestamp())}</guid>'
        f"<pubDate>{http_date(entry.at)}</pubDate></item>\n"
        for entry in entries
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"><channel>\n'
        f"<title>{escape(site.title)}</title><link>{base}/</link><description>{escape(site.topic)}</description>\n"
        f"<language>{site.language}</language><lastBuildDate>{http_date(updated)}</lastBuildDate>\n"
        f"{items}</channel></rss>\n"
    )


def _atom(site: Site, base: str, updated: datetime, entries: Iterable[Entry]) -> str:
    items = "".join(
        f"<entry><title>{escape(entry.title)}</title>"
        f"<id>tag:{site.name}.demo,2025:{entry.path}:{int(entry.at.timestamp())}</id>"
        f'<link href="{base}{entry.path}"/><updated>{entry.at.isoformat()}</updated></entry>\n'
        for entry in entries
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n'
        f"<title>{escape(site.title)}</title><id>tag:{site.name}.demo,2025:/</id>"
        f'<link href="{base}/"/><link rel="self" href="{base}{FEED_PATH}"/>\n'
        f"<author><name>{escape(site.title)}</name></author><updated>{updated.isoformat()}</updated>\n"
        f"{items}</feed>\n"
    )
