"""The paths of a site's quirks, and the links on its home page that lead there."""

from __future__ import annotations

from ronda.demo.prose import material
from ronda.demo.sites import Quirk, Site

MOVED = "/old-home"
AWAY = "/partner"
RING = "/ring/1"
CALENDAR = "/calendar/"
FIRST_MONTH = f"{CALENDAR}2025/01"
DOWN = "/status"
CUT = "/download"
DOCUMENT = "/assets/report.pdf"

_LINKS = {
    Quirk.MOVED_PAGE: (MOVED, "old_address"),
    Quirk.AWAY_REDIRECT: (AWAY, "partner"),
    Quirk.REDIRECT_RING: (RING, "old_address"),
    Quirk.CALENDAR: (FIRST_MONTH, "calendar"),
    Quirk.DOWN_PAGE: (DOWN, "status"),
    Quirk.CUT_BODY: (CUT, "archive_copy"),
    Quirk.PDF: (DOCUMENT, "document"),
}


def quirk_links(site: Site) -> list[tuple[str, str]]:
    words = material(site.language).words
    return [(path, words[word]) for quirk, (path, word) in _LINKS.items() if quirk in site.quirks]
