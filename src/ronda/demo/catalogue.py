"""The sites of the demo web, read from `material/sites.toml`, and the addresses they live at.

127.77.0.1 is the control address, 127.77.0.2 the wiki, 127.77.K.N the N-th site of the K-th kind.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from functools import lru_cache
from importlib.resources import files
from typing import Any

from ronda.demo.rhythm import Behaviour, Rhythm
from ronda.demo.sites import FeedKind, Language, Noise, Quirk, RobotsKind, Site, SiteKind, Validators

NETWORK = "127.77"
CONTROL_ADDRESS = f"{NETWORK}.0.1"
WIKI_ADDRESS = f"{NETWORK}.0.2"
UTC_OFFSET_HOURS = {Language.EN: 0, Language.ES: -4}
STOPPED_AFTER_DAYS = 150.0

_VOCABULARY = {"robots": RobotsKind, "validators": Validators, "feed": FeedKind}
_VOCABULARIES = {"noise": Noise, "quirks": Quirk}


@lru_cache
def load_sites() -> tuple[Site, ...]:
    """Every site of the catalogue, with its address."""
    rows = tomllib.loads((files("ronda.demo") / "material" / "sites.toml").read_text("utf-8"))["sites"]
    kinds = list(SiteKind)
    seen: Counter[SiteKind] = Counter()
    sites = []
    for row in rows:
        kind = SiteKind(row["kind"])
        seen[kind] += 1
        sites.append(_site(row, kind, f"{NETWORK}.{kinds.index(kind) + 1}.{seen[kind]}"))
    return tuple(sites)


def _site(row: dict[str, Any], kind: SiteKind, address: str) -> Site:
    """A row of the table with its words checked: a misspelt one is an error here, not an odd site later."""
    fields = dict(row)
    language = Language(fields.pop("language"))
    behaviour, changes_per_day = Behaviour(fields.pop("behaviour")), float(fields.pop("changes_per_day"))
    fields |= {name: words(row[name]) for name, words in _VOCABULARY.items() if name in row}
    fields |= {name: frozenset(map(words, row[name])) for name, words in _VOCABULARIES.items() if name in row}
    rhythm = Rhythm(behaviour, changes_per_day, UTC_OFFSET_HOURS[language], STOPPED_AFTER_DAYS)
    return Site(**{**fields, "kind": kind, "language": language, "address": address, "rhythm": rhythm})
