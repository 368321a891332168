"""The faults and traps of a site, and how it answers when one of them is met."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from ronda.demo.origins import Origins
from ronda.demo.pages import PageRenderer
from ronda.demo.prose import material
from ronda.demo.quirk_links import AWAY, CALENDAR, CUT, DOWN, MOVED, RING
from ronda.demo.reply import Reply, http_date, redirect_reply, text_reply
from ronda.demo.sites import Quirk, Site
from ronda.demo.structure import HOME
from ronda.demo.world import DemoWorld

RATE_LIMIT_SECONDS = 1.0
RETRY_AFTER_SECONDS = 2
OVERLOADED_EVERY = 4
CUT_BODY_BYTES = 20_000
MONTH_PATH = re.compile(rf"{CALENDAR}(\d{{4}})/(\d{{2}})")


class QuirkKeeper:
    """Answers for the quirks of all sites. Waiting is in real seconds: so does the client."""

    def __init__(
        self,
        world: DemoWorld,
        renderer: PageRenderer,
        origins: Origins,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._world = world
        self._renderer = renderer
        self._origins = origins
        self._monotonic = monotonic
        self._last_served: dict[str, float] = {}
        self._requests: Counter[str] = Counter()

    def reply(self, site: Site, path: str) -> Reply | None:
        """The quirky answer to a request, or None if the page may be served."""
        return self._busy(site) or self._odd_page(site, path)

    def _busy(self, site: Site) -> Reply | None:
        if Quirk.RATE_LIMITED in site.quirks:
            return self._rate_limited(site)
        if Quirk.OVERLOADED in site.quirks:
            return self._overloaded(site)
        return None

    def _rate_limited(self, site: Site) -> Reply | None:
        now = self._monotonic()
        last = self._last_served.get(site.name)
        if last is not None and now - last < RATE_LIMIT_SECONDS:
            return text_reply(
                "Too many requests.\n", status=429, headers={"Retry-After": str(RETRY_AFTER_SECONDS)}
            )
        self._last_served[site.name] = now
        return None

    def _overloaded(self, site: Site) -> Reply | None:
        """Every fourth request fails; Retry-After is a date here, the other form of RFC 9110, 10.2.3."""
        self._requests[site.name] += 1
        if self._requests[site.name] % OVERLOADED_EVERY:
            return None
        retry_at = datetime.now(UTC) + timedelta(seconds=RETRY_AFTER_SECONDS)
        return text_reply("Overloaded.\n", status=503, headers={"Retry-After": http_date(retry_at)})

    def _odd_page(self, site: Site, path: str) -> Reply | None:
        quirks = site.quirks
        if Quirk.MOVED_PAGE in quirks and path == MOVED:
            return redirect_reply(HOME, 301)
        if Quirk.AWAY_REDIRECT in quirks and path == AWAY:
            return redirect_reply(self._origins.url(self._partner(site)), 302)
        if Quirk.REDIRECT_RING in quirks and path in (RING, RING[:-1] + "2"):
            return redirect_reply(RING[:-1] + ("2" if path == RING else "1"), 302)
        if Quirk.CALENDAR in quirks and (month := MONTH_PATH.fullmatch(path)):
            return self._month(site, int(month[1]), int(month[2]))
        if Quirk.DOWN_PAGE in quirks and path == DOWN:
            return text_reply("Internal error.\n", status=500)
        if Quirk.CUT_BODY in quirks and path == CUT:
            return Reply(b"0" * CUT_BODY_BYTES, "application/octet-stream", cut_at=CUT_BODY_BYTES // 2)
        return None

    def _partner(self, site: Site) -> Site:
        sites = self._world.sites
        return sites[(sites.index(site) + 1) % len(sites)]

    def _month(self, site: Site, year: int, month: int) -> Reply | None:
        """A month of the endless calendar: always one more to follow, until the year 9999."""
        if not (1 <= year <= 9998 and 1 <= month <= 12):
            return None
        words = material(site.language)
        months = year * 12 + month - 1
        links = "".join(
            f'<li><a href="{CALENDAR}{other // 12:04}/{other % 12 + 1:02}">{words.words[label]}</a></li>'
            for label, other in (("previous", months - 1), ("next", months + 1))
        )
        title = f"{words.words['calendar']}: {words.months[month - 1]} {year}"
        body = self._renderer.plain(site, title, f"<ul>{links}</ul>")
        return Reply(body, f"text/html; charset={site.charset}")
