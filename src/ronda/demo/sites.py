"""What a demo site is: its kind, its manners and its faults."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ronda.demo.rhythm import Rhythm


class SiteKind(StrEnum):
    UNIVERSITY = "university"
    SCIENCE = "science"
    CULTURE = "culture"
    NEWS = "news"
    SHOP = "shop"
    BLOG = "blog"
    GOVERNMENT = "government"


class Language(StrEnum):
    EN = "en"
    ES = "es"


class RobotsKind(StrEnum):
    """How a site answers for /robots.txt."""

    OPEN = "open"
    CRAWL_DELAY = "crawl-delay"
    DISALLOW = "disallow"  # some paths only
    CLOSED = "closed"  # everything
    MISSING = "missing"  # 404: all may be fetched (RFC 9309, 2.3.1.3)
    ERRORING = "erroring"  # 503: nothing may be fetched (RFC 9309, 2.3.1.4)
    GARBLED = "garbled"  # a web page under status 200


class Validators(StrEnum):
    """What a site sends to make conditional requests possible."""

    NONE = "none"
    ETAG = "etag"
    LAST_MODIFIED = "last-modified"
    BOTH = "both"
    ALWAYS_NOW = "always-now"  # Last-Modified is the time of the request: a lie that is common


class Noise(StrEnum):
    """What differs between two fetches although nothing changed."""

    CLOCK = "clock"
    VISITOR_COUNTER = "visitor counter"
    ROTATING_BANNER = "rotating banner"
    SESSION_LINKS = "session ids in links"


class FeedKind(StrEnum):
    NONE = "none"
    RSS = "rss"
    ATOM = "atom"


class Quirk(StrEnum):
    """A fault or trap that real sites have and a crawler must survive."""

    MOVED_PAGE = "moved page"
    AWAY_REDIRECT = "redirect to another host"
    REDIRECT_RING = "redirect ring"
    CALENDAR = "endless calendar"
    RATE_LIMITED = "429 when hurried"
    OVERLOADED = "503 now and then"
    DOWN_PAGE = "page that is always down"
    CUT_BODY = "body shorter than announced"
    SOFT_404 = "soft 404"
    PDF = "pdf"


@dataclass(frozen=True)
class Site:
    """One site of the demo web. Two worlds of one seed have equal sites."""

    name: str
    title: str
    kind: SiteKind
    topic: str
    language: Language
    address: str
    rhythm: Rhythm
    page_count: int = 16
    robots: RobotsKind = RobotsKind.OPEN
    crawl_delay_seconds: int = 1
    validators: Validators = Validators.NONE
    noise: frozenset[Noise] = frozenset()
    quirks: frozenset[Quirk] = frozenset()
    feed: FeedKind = FeedKind.NONE
    has_sitemap: bool = False
    has_gzip: bool = False
    charset: str = "utf-8"
    return_share: float = 0.1

    @property
    def publishes_stories(self) -> bool:
        """News and blogs put new pages up; the others edit the ones they have."""
        return self.kind in (SiteKind.NEWS, SiteKind.BLOG)
