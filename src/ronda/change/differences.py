"""What two outlines do not share, place by place."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from ronda.change.outlines import Outline, Part, Place
from ronda.change.rules import Facet


@dataclass
class Difference:
    """What is no longer there and what is there instead, in the order of the page."""

    place: Place
    facet: Facet
    gone: list[str] = field(default_factory=list)
    come: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Differences:
    """`kept`: how many parts in and below a place are as they were."""

    found: list[Difference]
    kept: Counter[Place]


def differences(old: Outline, new: Outline) -> Differences:
    before, after = Counter(old.parts), Counter(new.parts)
    by_place: dict[tuple[Place, Facet], Difference] = {}
    for parts, other, name in ((old.parts, after, "gone"), (new.parts, before, "come")):
        left = other.copy()
        for part in parts:
            if left[part] > 0:
                left[part] -= 1
            else:
                key = part.place, part.facet
                found = by_place.setdefault(key, Difference(part.place, part.facet))
                getattr(found, name).append(part.value)
    return Differences(list(by_place.values()), _kept(before & after))


def _kept(common: Counter[Part]) -> Counter[Place]:
    here: defaultdict[Place, int] = defaultdict(int)
    for part, number in common.items():
        here[part.place] += number
    kept: Counter[Place] = Counter()
    for place, number in here.items():
        for one in place.around():
            kept[one] += number
    return kept
