"""The sites of the demo web: a table to read, and the addresses they live at.

127.77.0.1 is the control address, 127.77.0.2 the wiki, 127.77.K.N the N-th site of the K-th kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ronda.demo.rhythm import Behaviour, Rhythm
from ronda.demo.sites import FeedKind, Language, Noise, Quirk, RobotsKind, Site, SiteKind, Validators

NETWORK = "127.77"
CONTROL_ADDRESS = f"{NETWORK}.0.1"
WIKI_ADDRESS = f"{NETWORK}.0.2"
UTC_OFFSET_HOURS = {Language.EN: 0, Language.ES: -4}
STOPPED_AFTER_DAYS = 150.0

EN, ES = Language.EN, Language.ES
UNIVERSITY, SCIENCE, CULTURE = SiteKind.UNIVERSITY, SiteKind.SCIENCE, SiteKind.CULTURE
NEWS, SHOP, BLOG, GOVERNMENT = SiteKind.NEWS, SiteKind.SHOP, SiteKind.BLOG, SiteKind.GOVERNMENT
STEADY, MORNINGS, BURSTY, SEASONAL = Behaviour.STEADY, Behaviour.MORNINGS, Behaviour.BURSTY, Behaviour.SEASONAL
ERRATIC, NEWSROOM, STOPPED, SILENT = Behaviour.ERRATIC, Behaviour.NEWSROOM, Behaviour.STOPPED, Behaviour.SILENT
CLOCK, COUNTER = frozenset({Noise.CLOCK}), frozenset({Noise.VISITOR_COUNTER})
BANNER, ALL_NOISE = frozenset({Noise.ROTATING_BANNER}), frozenset(set(Noise) - {Noise.SESSION_LINKS})
SESSIONS = frozenset({Noise.SESSION_LINKS})
TAGGED = {"validators": Validators.ETAG}
DATED = {"validators": Validators.LAST_MODIFIED}
BOTH = {"validators": Validators.BOTH}
LYING = {"validators": Validators.ALWAYS_NOW}
SITEMAP: dict[str, Any] = {"has_sitemap": True}
RSS, ATOM = {"feed": FeedKind.RSS}, {"feed": FeedKind.ATOM}
GZIP: dict[str, Any] = {"has_gzip": True}
LATIN1 = {"charset": "iso-8859-1"}
DELAY, SLOW = {"robots": RobotsKind.CRAWL_DELAY}, {"robots": RobotsKind.CRAWL_DELAY, "crawl_delay_seconds": 2}
DISALLOW, CLOSED = {"robots": RobotsKind.DISALLOW}, {"robots": RobotsKind.CLOSED}
MISSING, ERRORING = {"robots": RobotsKind.MISSING}, {"robots": RobotsKind.ERRORING}
GARBLED = {"robots": RobotsKind.GARBLED}


@dataclass(frozen=True)
class _Row:
    """Name, title, kind, topic, language, behaviour, changes a day; the rest by keyword."""

    name: str
    title: str
    kind: SiteKind
    topic: str
    language: Language
    behaviour: Behaviour
    changes_per_day: float
    manners: dict[str, Any] = field(default_factory=dict)


def _row(*head: Any, quirks: set[Quirk] | None = None, **manners: Any) -> _Row:
    return _Row(*head, manners={"quirks": frozenset(quirks or ()), **manners})


# fmt: off
_ROWS = (
    _row("litoral", "Universidad del Litoral Norte", UNIVERSITY, "education", ES, MORNINGS, 1.5, page_count=30, quirks={Quirk.PDF}, **BOTH, **SITEMAP, **DELAY),
    _row("sanjeronimo", "Universidad San Jerónimo", UNIVERSITY, "education", ES, SEASONAL, 1.0, page_count=24, **LATIN1, **DATED, **MISSING),
    _row("cumbres", "Universidad de las Cumbres", UNIVERSITY, "engineering", ES, STEADY, 0.5, **DISALLOW, noise=COUNTER),
    _row("ashcombe", "Ashcombe University", UNIVERSITY, "education", EN, MORNINGS, 2.0, page_count=36, **TAGGED, **SITEMAP, **GZIP),
    _row("northfield", "Northfield College", UNIVERSITY, "medicine", EN, SEASONAL, 0.8, **DATED, noise=BANNER, quirks={Quirk.MOVED_PAGE}),
    _row("harrow-tech", "Harrowgate Institute of Technology", UNIVERSITY, "engineering", EN, BURSTY, 1.2, **ATOM, **BOTH, **GZIP),
    _row("carrick", "Carrick Hill Open University", UNIVERSITY, "education", EN, STEADY, 0.2, **ERRORING),
    _row("delta", "Instituto Universitario del Delta", UNIVERSITY, "agronomy", ES, ERRATIC, 0.4, **LYING, noise=CLOCK),
    _row("boreal", "Boreal Ice Observatory", SCIENCE, "climate", EN, STEADY, 3.0, **BOTH, **SITEMAP, **ATOM, quirks={Quirk.PDF}),
    _row("nightsky", "Night Sky Survey", SCIENCE, "astronomy", EN, BURSTY, 2.0, page_count=40, **TAGGED, **GZIP, **DELAY),
    _row("mareas", "Centro de Mareas y Costas", SCIENCE, "oceanography", ES, MORNINGS, 1.0, **DATED, **RSS),
    _row("semillas", "Banco de Semillas del Valle", SCIENCE, "biology", ES, SEASONAL, 0.6, **MISSING, **SITEMAP),
    _row("vidrio", "Laboratorio del Vidrio", SCIENCE, "physics", ES, ERRATIC, 0.3, **LATIN1, **TAGGED),
    _row("rivers", "River Sediment Archive", SCIENCE, "geology", EN, SILENT, 0.0, **BOTH, **SITEMAP),
    _row("pollen", "Pollen Count Network", SCIENCE, "public health", EN, STEADY, 6.0, page_count=12, **LYING, noise=CLOCK),
    _row("imprenta", "Museo de la Imprenta", CULTURE, "museums", ES, SEASONAL, 0.5, **DATED, **DISALLOW),
    _row("titeres", "Teatro de Títeres La Ensenada", CULTURE, "theatre", ES, BURSTY, 0.7, **RSS, noise=BANNER),
    _row("coral", "Coral de Peñalba", CULTURE, "music", ES, ERRATIC, 0.2, **GARBLED, quirks={Quirk.CALENDAR}),
    _row("filmhouse", "Old Wharf Film House", CULTURE, "cinema", EN, MORNINGS, 1.3, **TAGGED, **RSS, quirks={Quirk.CALENDAR}, **SLOW),
    _row("maproom", "The Map Room", CULTURE, "libraries", EN, STEADY, 0.3, page_count=28, **BOTH, **SITEMAP, **GZIP, quirks={Quirk.PDF}),
    _row("soundarchive", "Fernley Sound Archive", CULTURE, "music", EN, STEADY, 0.1, **DATED, quirks={Quirk.CUT_BODY}),
    _row("ceramica", "Casa de la Cerámica", CULTURE, "crafts", ES, STOPPED, 0.4, **MISSING, noise=COUNTER),
    _row("quay-courier", "The Quay Courier", NEWS, "local news", EN, NEWSROOM, 12.0, page_count=12, **RSS, **SITEMAP, **GZIP, noise=BANNER),
    _row("diario-cobre", "Diario de Puerto Cobre", NEWS, "local news", ES, NEWSROOM, 10.0, page_count=12, **RSS, **TAGGED, noise=ALL_NOISE),
    _row("la-lonja", "La Lonja Económica", NEWS, "economy", ES, MORNINGS, 5.0, page_count=10, **ATOM, **SITEMAP, **DATED),
    _row("regatta", "Regatta Weekly", NEWS, "sports", EN, BURSTY, 4.0, page_count=10, **ATOM, **BOTH),
    _row("thane-post", "Lower Thane Post", NEWS, "local news", EN, NEWSROOM, 5.0, page_count=10, **DELAY, noise=CLOCK | COUNTER),
    _row("correo-valle", "El Correo del Valle", NEWS, "local news", ES, NEWSROOM, 6.0, page_count=10, **SITEMAP, **DISALLOW, **GZIP, **LATIN1),
    _row("world-desk", "World Desk", NEWS, "world news", EN, NEWSROOM, 16.0, page_count=12, **RSS, **LYING, **SLOW),
    _row("lamps", "Fernley Lamps & Lights", SHOP, "household", EN, STEADY, 2.0, page_count=32, **TAGGED, **SITEMAP, noise=SESSIONS),
    _row("cuadernos", "Papelería Los Almendros", SHOP, "stationery", ES, MORNINGS, 2.5, page_count=26, noise=BANNER, **GZIP),
    _row("velo", "Velo Marlow Bicycles", SHOP, "sports", EN, BURSTY, 3.0, page_count=30, **LYING, noise=SESSIONS | COUNTER),
    _row("te-y-hierbas", "Té y Hierbas Agua Clara", SHOP, "food", ES, STEADY, 1.0, **DATED, quirks={Quirk.RATE_LIMITED}),
    _row("radio-works", "Eastmoor Radio Works", SHOP, "electronics", EN, ERRATIC, 1.5, quirks={Quirk.OVERLOADED}, **TAGGED),
    _row("outlet", "Saldos Muelle Viejo", SHOP, "household", ES, STEADY, 5.0, **CLOSED, noise=ALL_NOISE),
    _row("slow-train", "The Slow Train", BLOG, "travel", EN, STEADY, 0.3, page_count=7, **ATOM, **BOTH),
    _row("attic-radio", "Notes from the Attic", BLOG, "programming", EN, STOPPED, 0.6, page_count=7, **RSS, **DATED),
    _row("pan-y-libros", "Pan y libros", BLOG, "literature", ES, BURSTY, 0.5, page_count=7, **ATOM, **TAGGED, quirks={Quirk.SOFT_404}),
    _row("aves", "Cuaderno de aves", BLOG, "nature", ES, STEADY, 0.8, page_count=7, **RSS, **MISSING),
    _row("birdsong", "Birdsong at Six", BLOG, "nature", EN, ERRATIC, 0.4, page_count=7, **SITEMAP, quirks={Quirk.AWAY_REDIRECT, Quirk.MOVED_PAGE}),
    _row("ayuntamiento", "Concejo de Villa Marina", GOVERNMENT, "public administration", ES, MORNINGS, 1.0, page_count=26, return_share=0.35, **DATED, **DISALLOW, quirks={Quirk.PDF}),
    _row("water-board", "Marlow Bay Water Board", GOVERNMENT, "public health", EN, BURSTY, 0.6, page_count=20, return_share=0.35, **BOTH, quirks={Quirk.DOWN_PAGE}),
    _row("registro", "Registro de Cerro Alto", GOVERNMENT, "public administration", ES, ERRATIC, 0.3, page_count=20, return_share=0.35, quirks={Quirk.REDIRECT_RING, Quirk.DOWN_PAGE}, **MISSING),
    _row("census", "Office of the Census", GOVERNMENT, "statistics", EN, STEADY, 0.15, page_count=24, return_share=0.3, **TAGGED, **SITEMAP, **GZIP),
)
# fmt: on


def build_sites() -> tuple[Site, ...]:
    """Every site of the catalogue, with its address."""
    return tuple(_sites())


def _sites() -> Iterator[Site]:
    kinds = list(SiteKind)
    seen: Counter[SiteKind] = Counter()
    for row in _ROWS:
        seen[row.kind] += 1
        yield Site(
            name=row.name,
            title=row.title,
            kind=row.kind,
            topic=row.topic,
            language=row.language,
            address=f"{NETWORK}.{kinds.index(row.kind) + 1}.{seen[row.kind]}",
            rhythm=Rhythm(
                row.behaviour, row.changes_per_day, UTC_OFFSET_HOURS[row.language], STOPPED_AFTER_DAYS
            ),
            **row.manners,
        )
