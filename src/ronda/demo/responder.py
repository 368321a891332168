"""From a path of a site and a moment to a reply: robots, quirks, feeds, assets, pages, stories."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime

from ronda.demo import assets
from ronda.demo.feeds import feed, sitemap
from ronda.demo.noise import NoiseMaker
from ronda.demo.origins import Origins
from ronda.demo.pages import FEED_PATH, PHOTOS_PER_SITE, PageRenderer
from ronda.demo.quirk_links import DOCUMENT
from ronda.demo.quirks import QuirkKeeper
from ronda.demo.reply import Reply
from ronda.demo.robots import ROBOTS_PATH, SITEMAP_PATH, robots_reply
from ronda.demo.seeding import seeded_number
from ronda.demo.sites import FeedKind, Quirk, Site, Validators
from ronda.demo.structure import story_number
from ronda.demo.world import DemoWorld

PHOTO_PATH = re.compile(r"/assets/photo-(\d)\.png")


class SiteResponder:
    """Answers for all sites of a world."""

    def __init__(self, world: DemoWorld, origins: Origins) -> None:
        self._world = world
        self._origins = origins
        self._renderer = PageRenderer(world, origins)
        self._noise = NoiseMaker()
        self._quirks = QuirkKeeper(world, self._renderer, origins)

    def reply(self, site: Site, path: str, query: Mapping[str, str], moment: datetime) -> Reply:
        if path == ROBOTS_PATH:
            return robots_reply(site, self._origins)
        return (
            self._quirks.reply(site, path)
            or self._feed(site, path, moment)
            or self._asset(site, path, query)
            or self._page(site, path, moment)
            or self._not_found(site, moment)
        )

    def _feed(self, site: Site, path: str, moment: datetime) -> Reply | None:
        if path == SITEMAP_PATH and site.has_sitemap:
            text, content_type = sitemap(self._world, self._origins, site, moment), "application/xml"
        elif path == FEED_PATH and site.feed is not FeedKind.NONE:
            text = feed(self._world, self._renderer, self._origins, site, moment)
            content_type = f"application/{site.feed}+xml"
        else:
            return None
        return Reply(text.encode(), f"{content_type}; charset=utf-8", etag=f'"{seeded_number(text):016x}"')

    def _asset(self, site: Site, path: str, query: Mapping[str, str]) -> Reply | None:
        found = _asset_bytes(site, path, query)
        if found is None:
            return None
        body, content_type = found
        return Reply(
            body,
            content_type,
            last_modified=self._world.epoch,
            headers={"Cache-Control": "max-age=3600"},
        )

    def _page(self, site: Site, path: str, moment: datetime) -> Reply | None:
        timeline = self._world.timeline(site)
        page, number = timeline.page(path), story_number(path)
        if page is not None:
            snapshot = timeline.at(path, moment)
            rendering, changed_at = self._renderer.page(site, page, snapshot.state), snapshot.changed_at
        elif number is not None and number <= timeline.story_count(moment):
            rendering, changed_at = self._renderer.story(site, number), timeline.story_published_at(number)
        else:
            return None
        return Reply(
            self._noise.apply(site, rendering.body, moment),
            f"text/html; charset={site.charset}",
            etag=_etag(site, rendering.tag),
            last_modified=_last_modified(site, changed_at, moment),
        )

    def _not_found(self, site: Site, moment: datetime) -> Reply:
        status = 200 if Quirk.SOFT_404 in site.quirks else 404
        body = self._noise.apply(site, self._renderer.not_found(site), moment)
        return Reply(body, f"text/html; charset={site.charset}", status)


def _asset_bytes(site: Site, path: str, query: Mapping[str, str]) -> tuple[bytes, str] | None:
    if path == "/assets/style.css":
        view = query.get("v", "0")
        is_number = view.isascii() and view.isdigit() and len(view) < 10
        return assets.stylesheet(site, int(view) if is_number else 0), "text/css; charset=utf-8"
    if path == "/assets/site.js":
        return assets.script(), "text/javascript; charset=utf-8"
    if path == "/assets/logo.svg":
        return assets.logo(site), "image/svg+xml"
    if path == DOCUMENT and Quirk.PDF in site.quirks:
        return assets.document(site), "application/pdf"
    if (photo := PHOTO_PATH.fullmatch(path)) and 1 <= int(photo[1]) <= PHOTOS_PER_SITE:
        return assets.photo(site.name, int(photo[1])), "image/png"
    return None


def _etag(site: Site, tag: str) -> str | None:
    """Weak where bytes may differ for one state: noise, or a body that is sometimes compressed."""
    if site.validators not in (Validators.ETAG, Validators.BOTH):
        return None
    return f'W/"{tag}"' if site.noise or site.has_gzip else f'"{tag}"'


def _last_modified(site: Site, changed_at: datetime, moment: datetime) -> datetime | None:
    if site.validators is Validators.ALWAYS_NOW:
        return moment
    return changed_at if site.validators in (Validators.LAST_MODIFIED, Validators.BOTH) else None
