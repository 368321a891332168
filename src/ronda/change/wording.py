"""How many words of two texts differ, and how many paragraphs only stand elsewhere: counted in one pass, none shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from rapidfuzz.distance import LCSseq

_T = TypeVar("_T", str, int)


@dataclass(frozen=True)
class Reworded:
    """`share`: of all characters, those of words the other side has not. `moved_share`: of all paragraphs."""

    added: int = 0
    removed: int = 0
    share: float = 0.0
    moved_share: float = 0.0


def reworded(before: Sequence[str], after: Sequence[str]) -> Reworded:
    if before == after:
        return Reworded()
    old, new = Counter(before), Counter(after)
    gone, come = beyond(old, new), beyond(new, old)
    old_words, new_words = _words(gone), _words(come)
    removed, added = beyond(old_words, new_words), beyond(new_words, old_words)
    if not removed and not added and (gone or come):
        # The same words in another order, which is another text.
        removed = added = {"": 1}
    total = sum(map(len, before)) + sum(map(len, after))
    kept = len(before) - sum(gone.values())
    return Reworded(
        added=sum(added.values()),
        removed=sum(removed.values()),
        share=min(1.0, (_characters(removed) + _characters(added)) / total) if total else 0.0,
        moved_share=(kept - _in_order(before, after, old, new)) / max(len(before), len(after)),
    )


def beyond(one: Counter[_T], other: Counter[_T]) -> dict[_T, int]:
    """What one has more often than the other. (A Counter's own difference asks twice for everything.)"""
    times = other.get
    return {item: more for item, number in one.items() if (more := number - times(item, 0)) > 0}


def _in_order(before: Sequence[str], after: Sequence[str], old: Counter[str], new: Counter[str]) -> int:
    """The most paragraphs that stand on both sides in the same order."""
    numbers = {line: number for number, line in enumerate(old.keys() & new.keys())}
    left = [numbers[line] for line in before if line in numbers]
    right = [numbers[line] for line in after if line in numbers]
    return LCSseq.similarity(left, right)


def _words(lines: dict[str, int]) -> Counter[str]:
    words = Counter("\n".join(lines).split())
    for line, number in lines.items():
        if number > 1:
            for word in line.split():
                words[word] += number - 1
    return words


def _characters(words: dict[str, int]) -> int:
    """With the blank behind each."""
    return sum((len(word) + 1) * number for word, number in words.items())
