"""The control address: the ground truth as JSON, the clock, the access log, and an index for people.

GET /api/sites, GET /api/changes?site=&path=&since=&until=&limit=, GET|POST /api/clock,
GET|DELETE /api/access-log?site=&limit=.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from typing import Any

from ronda.demo.access_log import AccessLog
from ronda.demo.catalogue import WIKI_ADDRESS
from ronda.demo.clock import DemoClock
from ronda.demo.errors import DemoError, ParameterError, UnknownSiteError
from ronda.demo.index_page import index_page
from ronda.demo.origins import Origins
from ronda.demo.reply import Reply
from ronda.demo.schedule import Change
from ronda.demo.sites import RobotsKind, Site
from ronda.demo.world import DemoWorld

DEFAULT_LIMIT = 10_000
MAX_LIMIT = 1_000_000


class ControlDesk:
    """Answers at the control address. Requests to it are not in the access log."""

    def __init__(self, world: DemoWorld, clock: DemoClock, log: AccessLog, origins: Origins) -> None:
        self._world = world
        self._clock = clock
        self._log = log
        self._origins = origins

    def reply(self, method: str, path: str, query: Mapping[str, str], body: bytes) -> Reply:
        """Answer, or say as problem JSON what was wrong with the request."""
        try:
            return self._reply(method, path, query, body)
        except UnknownSiteError as error:
            return _problem(404, str(error))
        except DemoError as error:
            return _problem(400, str(error))

    def _reply(self, method: str, path: str, query: Mapping[str, str], body: bytes) -> Reply:
        match method, path:
            case (("GET" | "HEAD"), "/"):
                html = index_page(self._world, self._clock, self._origins)
                return Reply(html.encode(), "text/html; charset=utf-8")
            case (("GET" | "HEAD"), "/index.css"):
                style = (files("ronda.demo") / "static" / "index.css").read_bytes()
                return Reply(style, "text/css; charset=utf-8")
            case (("GET" | "HEAD"), "/api/sites"):
                return _json(
                    {"sites": [self._site_json(site) for site in self._world.sites], **self._wiki_json()}
                )
            case (("GET" | "HEAD"), "/api/changes"):
                return self._changes(query)
            case (("GET" | "HEAD"), "/api/clock"):
                return self._clock_reply()
            case "POST", "/api/clock":
                return self._move_clock(body)
            case (("GET" | "HEAD"), "/api/access-log"):
                entries = self._log.entries(query.get("site"))
                return _json({"entries": [entry.as_json() for entry in entries[-_limit(query) :]]})
            case "DELETE", "/api/access-log":
                self._log.clear()
                return _json({"entries": []})
        return _problem(404, f"Nothing answers {method} {path} at the control address.")

    def _changes(self, query: Mapping[str, str]) -> Reply:
        """Oldest first. `is_complete` is false when the limit cut the list."""
        sites = [self._world.site(query["site"])] if "site" in query else list(self._world.sites)
        since = _moment(query, "since", self._world.epoch)
        until = _moment(query, "until", self._clock.now())
        found = [
            (change.at, site.name, change)
            for site in sites
            for change in self._world.changes(site, since, until)
            if query.get("path", change.path) == change.path
        ]
        found.sort(key=lambda row: row[:2])
        limit = _limit(query)
        rows = [_change_json(name, change) for _, name, change in found[:limit]]
        return _json({"changes": rows, "total": len(found), "is_complete": len(found) <= limit})

    def _clock_reply(self) -> Reply:
        now = self._clock.now()
        return _json(
            {"now": now.isoformat(), "speed": self._clock.speed, "epoch": self._world.epoch.isoformat()}
        )

    def _move_clock(self, body: bytes) -> Reply:
        """Any of `speed`, `now` and `advance_seconds`; all are checked before any is used."""
        wanted = _object(body)
        speed = _number(wanted, "speed")
        advance_seconds = _number(wanted, "advance_seconds")
        now = _moment(wanted, "now", None) if "now" in wanted else None
        if speed is not None:
            self._clock.set_speed(speed)
        if now is not None:
            self._clock.set(now)
        if advance_seconds is not None:
            self._clock.advance(timedelta(seconds=advance_seconds))
        return self._clock_reply()

    def _site_json(self, site: Site) -> dict[str, object]:
        return {
            "name": site.name,
            "title": site.title,
            "url": self._origins.url(site),
            "kind": site.kind,
            "topic": site.topic,
            "language": site.language,
            "behaviour": site.rhythm.behaviour,
            "changes_per_day": site.rhythm.changes_per_day,
            "robots": site.robots,
            "crawl_delay_seconds": site.crawl_delay_seconds
            if site.robots is RobotsKind.CRAWL_DELAY
            else None,
            "validators": site.validators,
            "noise": sorted(site.noise),
            "quirks": sorted(site.quirks),
            "feed": site.feed,
            "has_sitemap": site.has_sitemap,
            "charset": site.charset,
            "pages": [page.path for page in self._world.pages(site)],
        }

    def _wiki_json(self) -> dict[str, object]:
        base = self._origins.url(WIKI_ADDRESS)
        titles = [article.title for article in self._world.wiki.articles]
        return {"wiki": {"url": base, "api_url": f"{base}w/api.php", "articles": titles}}


def _change_json(site_name: str, change: Change) -> dict[str, object]:
    return {
        "site": site_name,
        **change._asdict(),
        "at": change.at.isoformat(),
        "published_path": change.published_path,
    }


def _json(body: Mapping[str, object], status: int = 200) -> Reply:
    return Reply(json.dumps(body, ensure_ascii=False).encode(), "application/json; charset=utf-8", status)


def _problem(status: int, detail: str) -> Reply:
    body = json.dumps({"title": "The demo web refused", "status": status, "detail": detail})
    return Reply(body.encode(), "application/problem+json", status)


def _object(body: bytes) -> dict[str, Any]:
    try:
        wanted = json.loads(body or b"{}")
    except ValueError:
        wanted = None
    if not isinstance(wanted, dict):
        raise ParameterError("body", 'a JSON object, such as {"advance_seconds": 3600}')
    return wanted


def _number(wanted: Mapping[str, Any], name: str) -> float | None:
    value = wanted.get(name)
    if value is not None and (
        isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1e9
    ):
        raise ParameterError(name, "a number from 0 to 1e9")
    return value


def _moment(query: Mapping[str, Any], name: str, default: datetime | None) -> datetime:
    if name not in query and default is not None:
        return default
    try:
        moment = datetime.fromisoformat(str(query.get(name)).replace(" ", "+"))
    except ValueError:
        raise ParameterError(name, "a moment such as 2025-03-01T12:00:00Z") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _limit(query: Mapping[str, str]) -> int:
    text = query.get("limit", str(DEFAULT_LIMIT))
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= MAX_LIMIT):
        raise ParameterError("limit", f"a whole number from 1 to {MAX_LIMIT:,}")
    return int(text)
