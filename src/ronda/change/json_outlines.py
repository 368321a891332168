"""The outline of a JSON document: a line for each value, with its name; neither order of names nor layout counts.

Places are written like elements (`json > items > price`), so that the same rules hold as for markup.
"""

from __future__ import annotations

import json
from typing import Any

from ronda.change.outlines import Outline, Part, Place, Places
from ronda.change.rules import Facet, Ignoring, RuleKind, levelled
from ronda.change.selectors import START, Reached


class _Spot:
    """Where a value stands, and what the rules say of it; one for all items of a list."""

    def __init__(self, ignoring: Ignoring, places: Places, place: Place, reached: Reached) -> None:
        self.ignoring = ignoring
        self.places = places
        self.place = place
        self.reached = reached
        self.inner: dict[str, _Spot] = {}
        rules = [ignoring.elements[number] for number in ignoring.matcher.found(reached)]
        ignoring.used.update(rules)
        self.is_ignored = any(rule.kind == RuleKind.SELECTOR for rule in rules)
        self.is_levelled = any(rule.kind == RuleKind.NUMBERS for rule in rules)

    def inside(self, name: str) -> _Spot:
        if name not in self.inner:
            tag = "-".join(name.lower().split()) or "empty"
            reached = self.ignoring.matcher.enter(self.reached, self.ignoring.matcher.fitting(tag, {}))
            place = self.places.inside(self.place, tag, tag)
            self.inner[name] = _Spot(self.ignoring, self.places, place, reached)
        return self.inner[name]


def json_outline(value: Any, ignoring: Ignoring, places: Places) -> Outline:
    outline = Outline()
    todo: list[tuple[Any, str, _Spot]] = [
        (value, "", _Spot(ignoring, places, places.root, START).inside("json"))
    ]
    while todo:
        value, name, spot = todo.pop()
        if spot.is_ignored:
            continue
        outline.shapes[spot.place.shape] += 1
        # What is put last is taken first.
        if isinstance(value, dict):
            todo += [(value[key], key, spot.inside(key)) for key in sorted(value, reverse=True)]
        elif isinstance(value, list):
            todo += [(item, name, spot) for item in reversed(value)]
        else:
            text = value if isinstance(value, str) else json.dumps(value)
            shown = levelled(text, Facet.TEXT) if spot.is_levelled else text
            outline.lines.append(f"{name}: {shown}" if name else shown)
            outline.parts.append(Part(spot.place, Facet.TEXT, shown))
    return outline
