"""How much a page changed, and whether that matters: view, form and content from 0 to 1, and their weighted sum.

The measure of the document Ronda follows: a change is important if the sum of its vectors of view (α: paragraphs,
colours, arrangement), form (β: structure of the DOM) and content (γ: text added and removed) exceeds F(μ), a value
between 0 and 1 of the source's own. Here each vector is a few named components, each from 0 to 1, whose weights sum
up to 1, as do the weights of the three.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from ronda.change.documents import Page
from ronda.change.outlines import Outline
from ronda.change.reading import outlines_of
from ronda.change.rules import Ignoring
from ronda.change.wording import beyond, reworded

_T = TypeVar("_T", str, int)

# So many words, or elements, count half, on a page of any length: a new paragraph is news on a long page as well.
HALF_WORDS = 200
HALF_ELEMENTS = 200


class Component(StrEnum):
    """What can drive a score."""

    SHEETS = "sheets"
    LOOKS = "looks"
    ARRANGEMENT = "arrangement"
    PARAGRAPHS = "paragraphs"
    ELEMENTS = "elements"
    TEXT = "text"
    TITLE = "title"
    LINKS = "links"
    BYTES = "bytes"


VIEW = {
    Component.SHEETS: 0.4,
    Component.LOOKS: 0.4,
    Component.ARRANGEMENT: 0.1,
    Component.PARAGRAPHS: 0.1,
}
FORM = {Component.ELEMENTS: 1.0}
CONTENT = {Component.TEXT: 0.8, Component.TITLE: 0.1, Component.LINKS: 0.1}


@dataclass(frozen=True)
class Weights:
    """How much each of the three counts; they sum up to 1."""

    view: float = 0.2
    form: float = 0.3
    content: float = 0.5


WEIGHTS = Weights()


@dataclass(frozen=True)
class Score:
    """`components`: those that are not zero. `words_added` and `words_removed` of what is read."""

    view: float = 0.0
    form: float = 0.0
    content: float = 0.0
    components: Mapping[Component, float] = field(default_factory=dict)
    words_added: int = 0
    words_removed: int = 0

    def total(self, weights: Weights = WEIGHTS) -> float:
        return weights.view * self.view + weights.form * self.form + weights.content * self.content

    def is_important(self, threshold: float, weights: Weights = WEIGHTS) -> bool:
        """At the threshold or above it; nothing changed is never important, whatever the threshold."""
        return self.is_meaningful and self.total(weights) >= threshold

    @property
    def is_meaningful(self) -> bool:
        """Whether a reader could tell the two apart."""
        return bool(self.components)

    @property
    def driver(self) -> Component | None:
        """What counts most in the sum, with the weights as they are set out here."""
        return max(self.components, key=self._share_of, default=None)

    def _share_of(self, component: Component) -> float:
        vectors = ((VIEW, WEIGHTS.view), (FORM, WEIGHTS.form), (CONTENT, WEIGHTS.content))
        weight = sum(vector.get(component, 0.0) * whole for vector, whole in vectors)
        return self.components[component] * (weight or 1.0)


SAME = Score()
# What can only be told apart by its bytes: another file, and nobody knows how much of it.
REPLACED = Score(content=1.0, components={Component.BYTES: 1.0})


def score(before: Page, after: Page, ignoring: Ignoring | None = None) -> Score:
    """Turning the two round gives the same score."""
    if before.payload == after.payload:
        return SAME
    both = outlines_of(before, after, ignoring)
    return score_outlines(*both) if both else REPLACED


def score_outlines(old: Outline, new: Outline) -> Score:
    words = reworded(old.lines, new.lines)
    found = {
        Component.SHEETS: _difference(old.sheets, new.sheets),
        Component.LOOKS: _difference(old.looks, new.looks),
        Component.ARRANGEMENT: words.moved_share,
        Component.PARAGRAPHS: _part(
            abs(len(old.lines) - len(new.lines)), max(len(old.lines), len(new.lines))
        ),
        Component.ELEMENTS: _amount(old.shapes, new.shapes),
        Component.TEXT: max(words.share, _half(words.added + words.removed, HALF_WORDS)),
        Component.TITLE: float(old.title != new.title),
        Component.LINKS: _difference(old.links, new.links),
    }
    return _scored({name: value for name, value in found.items() if value > 0}, words.added, words.removed)


def score_alone(outline: Outline | None) -> Score:
    """Of a page that came or went: by how much there is to read, as it may be one of thousands."""
    if outline is None:
        return Score(components={Component.BYTES: 1.0})
    words = outline.words
    return _scored({Component.TEXT: _half(words, HALF_WORDS)} if words else {}, words, 0)


def _scored(found: Mapping[Component, float], added: int, removed: int) -> Score:
    def whole(vector: Mapping[Component, float]) -> float:
        return min(1.0, sum(weight * found.get(name, 0.0) for name, weight in vector.items()))

    return Score(whole(VIEW), whole(FORM), whole(CONTENT), found, added, removed)


def _half(number: int, half: int) -> float:
    """From 0 to 1, half of it at `half`."""
    return number / (number + half)


def _part(number: int, total: int) -> float:
    return number / total if total else 0.0


def _difference(old: Counter[_T], new: Counter[_T]) -> float:
    """The share of those that the other side has not."""
    if old == new:
        return 0.0
    return _part(_apart(old, new), old.total() + new.total())


def _amount(old: Counter[int], new: Counter[int]) -> float:
    if old == new:
        return 0.0
    number = _apart(old, new)
    return max(_part(number, old.total() + new.total()), _half(number, HALF_ELEMENTS))


def _apart(old: Counter[_T], new: Counter[_T]) -> int:
    return sum(beyond(old, new).values()) + sum(beyond(new, old).values())
