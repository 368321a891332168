"""What two sequences have in common, in order: quick on long ones, and bounded on hostile ones.

Equal ends are taken off; elements that stand once on either side are anchors (patience diff); between anchors the
shortest edit is looked for (Myers), as long as the budget lasts. What is left over counts as different.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

# Steps of the search over a whole comparison: about a second.
MOST_STEPS = 1_500_000
# Edits looked for in one gap: its memory grows with the square.
MOST_EDITS = 600


@dataclass(frozen=True, slots=True)
class Match:
    """`size` equal elements, from `before` on one side and `after` on the other."""

    before: int
    after: int
    size: int


class _Budget:
    def __init__(self, steps: int) -> None:
        self.steps = steps


def matches(a: Sequence[str], b: Sequence[str], most_steps: int = MOST_STEPS) -> list[Match]:
    """In order, none overlapping, neighbours joined."""
    numbers: dict[str, int] = {}
    left = [numbers.setdefault(item, len(numbers)) for item in a]
    right = [numbers.setdefault(item, len(numbers)) for item in b]
    pairs: list[tuple[int, int]] = []
    budget = _Budget(most_steps)
    start, ends = _common_ends(left, right, 0, len(left), 0, len(right))
    pairs += [(i, i) for i in range(start)]
    low_a = low_b = start
    high_a, high_b = len(left) - ends, len(right) - ends
    for anchor_a, anchor_b in [*_anchors(left, right, low_a, high_a, low_b, high_b), (high_a, high_b)]:
        pairs += _gap(left, right, low_a, anchor_a, low_b, anchor_b, budget)
        if anchor_a < high_a:
            pairs.append((anchor_a, anchor_b))
        low_a, low_b = anchor_a + 1, anchor_b + 1
    pairs += [(high_a + i, high_b + i) for i in range(ends)]
    return _joined(pairs)


def _joined(pairs: list[tuple[int, int]]) -> list[Match]:
    found: list[Match] = []
    for i, j in pairs:
        last = found[-1] if found else None
        if last and (last.before + last.size, last.after + last.size) == (i, j):
            found[-1] = Match(last.before, last.after, last.size + 1)
        else:
            found.append(Match(i, j, 1))
    return found


def _common_ends(
    a: list[int], b: list[int], low_a: int, high_a: int, low_b: int, high_b: int
) -> tuple[int, int]:
    most = min(high_a - low_a, high_b - low_b)
    start = 0
    while start < most and a[low_a + start] == b[low_b + start]:
        start += 1
    ends = 0
    while ends < most - start and a[high_a - 1 - ends] == b[high_b - 1 - ends]:
        ends += 1
    return start, ends


def _anchors(
    a: list[int], b: list[int], low_a: int, high_a: int, low_b: int, high_b: int
) -> list[tuple[int, int]]:
    """The longest ascending run of elements that stand once on either side."""
    once_a, once_b = Counter(a[low_a:high_a]), Counter(b[low_b:high_b])
    place = {item: j for j, item in enumerate(b[low_b:high_b], low_b) if once_b[item] == 1}
    pairs = [
        (i, place[item])
        for i, item in enumerate(a[low_a:high_a], low_a)
        if once_a[item] == 1 and item in place
    ]
    tails: list[int] = []
    tops: list[int] = []
    previous = [-1] * len(pairs)
    for number, (_i, j) in enumerate(pairs):
        at = bisect_left(tails, j)
        previous[number] = tops[at - 1] if at else -1
        tails[at : at + 1] = [j]
        tops[at : at + 1] = [number]
    chain: list[tuple[int, int]] = []
    number = tops[-1] if tops else -1
    while number >= 0:
        chain.append(pairs[number])
        number = previous[number]
    return chain[::-1]


def _gap(
    a: list[int], b: list[int], low_a: int, high_a: int, low_b: int, high_b: int, budget: _Budget
) -> list[tuple[int, int]]:
    start, ends = _common_ends(a, b, low_a, high_a, low_b, high_b)
    inner = _shortest_edit(a[low_a + start : high_a - ends], b[low_b + start : high_b - ends], budget)
    return [
        *((low_a + i, low_b + i) for i in range(start)),
        *((low_a + start + i, low_b + start + j) for i, j in inner),
        *((high_a - ends + i, high_b - ends + i) for i in range(ends)),
    ]


def _shortest_edit(a: list[int], b: list[int], budget: _Budget) -> list[tuple[int, int]]:
    """Myers 1986, greedy forward; nothing in common once the budget is spent."""
    if not a or not b or set(a).isdisjoint(b):
        return []
    furthest = {1: 0}
    trail: list[dict[int, int]] = []
    for edits in range(min(len(a) + len(b), MOST_EDITS) + 1):
        trail.append(dict(furthest))
        for k in range(-edits, edits + 1, 2):
            is_down = k == -edits or (k != edits and furthest[k - 1] < furthest[k + 1])
            x = furthest[k + 1] if is_down else furthest[k - 1] + 1
            begun = x
            while x < len(a) and 0 <= x - k < len(b) and a[x] == b[x - k]:
                x += 1
            furthest[k] = x
            budget.steps -= 1 + (x - begun)
            if x >= len(a) and x - k >= len(b):
                return _way_back(trail, len(a), len(b))
        budget.steps -= 2 * edits  # what was copied
        if budget.steps < 0:
            break
    return []


def _way_back(trail: list[dict[int, int]], x: int, y: int) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    for edits in range(len(trail) - 1, -1, -1):
        furthest, k = trail[edits], x - y
        is_down = k == -edits or (k != edits and furthest[k - 1] < furthest[k + 1])
        previous_k = k + 1 if is_down else k - 1
        previous_x = furthest[previous_k]
        previous_y = previous_x - previous_k
        while x > previous_x and y > previous_y:
            x, y = x - 1, y - 1
            pairs.append((x, y))
        x, y = previous_x, previous_y
    return pairs[::-1]
