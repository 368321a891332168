"""Whether a change is one of the template: the same part touched on most pages of a site, which is one event."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ronda.change.differences import differences
from ronda.change.outlines import Outline
from ronda.change.scoring import Score

LEAST_PAGES = 4
# Of all pages, those that changed; of those, the ones that changed alike.
MOST_PAGES_SHARE = 0.5
ALIKE_SHARE = 0.8
MOST_PLACES = 100


@dataclass(frozen=True)
class PageTouch:
    """Where a page changed, and how: by `nature` only, if its text stayed."""

    places: frozenset[str]
    nature: str = ""


@dataclass(frozen=True)
class Mass:
    """`part`: the place they have in common; empty if they are alike in nature only."""

    pages: int
    part: str


def touch_of(old: Outline, new: Outline, score: Score) -> PageTouch:
    found = differences(old, new).found
    places = frozenset(one.place.text for one in found[:MOST_PLACES])
    is_read_alike = not (score.words_added or score.words_removed)
    nature = "" if not is_read_alike else "form" if score.form else "view" if score.view else ""
    return PageTouch(places, nature)


def mass_of(touched: Sequence[PageTouch], pages: int) -> Mass | None:
    """`touched`: the pages that changed; `pages`: how many there are."""
    if len(touched) < LEAST_PAGES or len(touched) < MOST_PAGES_SHARE * pages:
        return None
    needed = ALIKE_SHARE * len(touched)
    places = Counter(place for touch in touched for place in touch.places)
    part, number = max(places.items(), key=lambda item: (item[1], item[0]), default=("", 0))
    if part and number >= needed:
        return Mass(number, part)
    natures = Counter(touch.nature for touch in touched if touch.nature)
    number = max(natures.values(), default=0)
    return Mass(number, "") if number >= needed else None
