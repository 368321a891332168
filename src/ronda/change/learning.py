"""Noise, found by comparing looks at a page: what differs though the page did not change, and how to ignore it.

Two looks within seconds show everything that differs on every look: counters, tokens, banners, advertisements, clocks
with seconds. Two looks far apart show clocks and dates by what they say. Whatever was found once and could be an edit
made between the two looks is only suspected: it has to be seen again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from ronda.change.differences import Difference, Differences, differences
from ronda.change.levelling import is_clock, level, level_dates
from ronda.change.outlines import Outline, Place
from ronda.change.rules import Facet, Rule, RuleKind, levelled

# What is ignored wholly is a small part of what is read: a page that differs altogether is not noise.
MOST_OF_TEXT = 0.3
LONGEST_EXAMPLE = 200
# A page that differs in more places than this was made anew, or made to keep us busy.
MOST_PLACES = 200
_OUTERMOST = frozenset({"", "html", "body", "main", "json", "text", "channel", "feed", "rss", "urlset"})
_TIME = re.compile(r"\d{1,2}:\d{2}|\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}")


class NoiseKind(StrEnum):
    CLOCK = "clock"
    NUMBER = "number"
    TOKEN = "token"  # noqa: S105  (a kind, no secret)
    PART = "part"
    HAND = "hand"


@dataclass(frozen=True)
class Finding:
    """`is_certain`: it cannot have been an edit."""

    rule: Rule
    kind: NoiseKind
    before: str
    after: str
    is_certain: bool = True


def found_at_once(old: Outline, new: Outline) -> list[Finding]:
    """What differs between two looks within seconds."""
    differing = differences(old, new)
    if len(differing.found) > MOST_PLACES:
        return []
    text = _length(old) + _length(new)
    findings: dict[Rule, Finding] = {}
    for one in differing.found:
        for finding in _fields(one) or _numbers(one) or _part(one, differing, text):
            findings.setdefault(finding.rule, finding)
    return _outermost(list(findings.values()))


def found_later(old: Outline, new: Outline, at_old: datetime, at_new: datetime) -> list[Finding]:
    """Clocks and dates, told by what they say. `at_…`: when each look was, by the server's own clock."""
    differing = differences(old, new)
    return [
        Finding(Rule(RuleKind.NUMBERS, one.place.text), NoiseKind.CLOCK, one.gone[0], one.come[0])
        for one in differing.found
        # Several of a kind are the dates of entries, each of its own day.
        if one.facet == Facet.TEXT and len(one.gone) == len(one.come) == 1 and not differing.kept[one.place]
        if one.place.text and is_clock(one.gone[0], one.come[0], at_old, at_new)
    ]


def only_part(old: Outline, new: Outline) -> Finding | None:
    """The one small part that differs, if nothing else does: suspected, as an edit looks the same."""
    differing = differences(old, new)
    if len(differing.found) > MOST_PLACES:
        return None
    text = _length(old) + _length(new)
    findings = {finding.rule: finding for one in differing.found for finding in _part(one, differing, text)}
    found = _outermost(list(findings.values()))
    return (
        found[0] if len(found) == 1 and all(_part(one, differing, text) for one in differing.found) else None
    )


def _fields(one: Difference) -> list[Finding]:
    """Fields of queries that differ while all else of the links is the same."""
    if one.facet == Facet.TEXT or len(one.gone) != len(one.come):
        return []
    findings = []
    for before, after in zip(one.gone, one.come, strict=True):
        names = _differing_fields(before, after)
        if not names:
            return []
        findings += [
            Finding(
                Rule(RuleKind.FIELD, name, Facet.LINK),
                NoiseKind.TOKEN,
                before[:LONGEST_EXAMPLE],
                after[:LONGEST_EXAMPLE],
            )
            for name in names
        ]
    return findings


def _differing_fields(before: str, after: str) -> list[str]:
    (head, _, query), (other, _, fields) = before.partition("?"), after.partition("?")
    pairs = (
        [one.partition("=")[::2] for one in query.split("&")],
        [one.partition("=")[::2] for one in fields.split("&")],
    )
    if head != other or [name for name, _ in pairs[0]] != [name for name, _ in pairs[1]]:
        return []
    return [name for (name, value), (_, now) in zip(*pairs, strict=True) if name and value != now]


def _numbers(one: Difference) -> list[Finding]:
    """The same but for numbers and tokens."""
    if sorted(levelled(v, one.facet) for v in one.gone) != sorted(levelled(v, one.facet) for v in one.come):
        return []
    rule = Rule(RuleKind.NUMBERS, one.place.text, one.facet)
    return [Finding(rule, _kind_of(one), _shown(one.gone), _shown(one.come))] if rule.where else []


def _kind_of(one: Difference) -> NoiseKind:
    before, after = _shown(one.gone), _shown(one.come)
    if one.facet == Facet.TEXT and (_TIME.search(after) or level(before) != level_dates(before)):
        return NoiseKind.CLOCK
    is_plain = re.sub(r"[\d.,' ]+", "0", before) == re.sub(r"[\d.,' ]+", "0", after)
    return NoiseKind.NUMBER if is_plain else NoiseKind.TOKEN


def _part(one: Difference, differing: Differences, text: int) -> list[Finding]:
    """The element it stands in, as far out as nothing in it stays as it was."""
    if differing.kept[one.place] > max(len(one.gone), len(one.come)):
        return []  # one of many alike
    place = one.place
    while place.parent and not differing.kept[place.parent] and not _is_outermost(place.parent):
        place = place.parent
    if _is_outermost(place) or not place.text or _length_below(place, differing) > MOST_OF_TEXT * text:
        return []
    rule = Rule(RuleKind.SELECTOR, place.text)
    return [Finding(rule, NoiseKind.PART, _shown(one.gone), _shown(one.come), is_certain=False)]


def _is_outermost(place: Place) -> bool:
    return re.split(r"[.#]", place.segment, maxsplit=1)[0] in _OUTERMOST


def _length(outline: Outline) -> int:
    return sum(len(part.value) for part in outline.parts if part.facet == Facet.TEXT)


def _length_below(place: Place, differing: Differences) -> int:
    return sum(
        sum(map(len, one.gone)) + sum(map(len, one.come))
        for one in differing.found
        if one.facet == Facet.TEXT and place in one.place.around()
    )


def _outermost(findings: list[Finding]) -> list[Finding]:
    """Without those that stand inside another one."""
    wholes = {f.rule.where for f in findings if f.rule.kind == RuleKind.SELECTOR}
    return [
        finding
        for finding in findings
        if finding.rule.kind == RuleKind.FIELD
        or not any(finding.rule.where.startswith(f"{whole} > ") for whole in wholes)
    ]


def _shown(values: list[str]) -> str:
    return " … ".join(values[:3])[:LONGEST_EXAMPLE]
