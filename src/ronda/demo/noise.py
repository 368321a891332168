"""Noise: bytes that differ between two fetches of a page that did not change."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from html import escape

from ronda.demo.prose import material
from ronda.demo.seeding import seeded_number
from ronda.demo.sites import Noise, Site

NOISE_MARK = "<!--noise-->\n"
SESSION_MARK = "0session0"
FIRST_VISITOR = 48_211


class NoiseMaker:
    """Puts noise where pages left a mark for it; it counts visits, and nothing else here remembers."""

    def __init__(self) -> None:
        self._visits: Counter[str] = Counter()

    def apply(self, site: Site, body: bytes, moment: datetime) -> bytes:
        if not site.noise:
            return body
        self._visits[site.name] += 1
        visit = self._visits[site.name]
        if Noise.SESSION_LINKS in site.noise:
            session = f"{seeded_number(site.name, 'session', visit):016x}"
            body = body.replace(SESSION_MARK.encode(), session.encode())
        lines = "".join(f"{line}\n" for line in _lines(site, visit, moment))
        return body.replace(NOISE_MARK.encode(), lines.encode(site.charset, "xmlcharrefreplace"))


def _lines(site: Site, visit: int, moment: datetime) -> list[str]:
    words = material(site.language)
    lines = []
    if Noise.ROTATING_BANNER in site.noise:
        banner = words.banners[visit % len(words.banners)]
        lines.append(f'<p class="banner">{escape(banner)}</p>')
    if Noise.VISITOR_COUNTER in site.noise:
        lines.append(f'<p class="counter">{words.words["visitors"]}: {FIRST_VISITOR + visit}</p>')
    if Noise.CLOCK in site.noise:
        lines.append(f'<p class="clock">{words.words["clock"]} {moment:%Y-%m-%d %H:%M:%S}</p>')
    return lines
