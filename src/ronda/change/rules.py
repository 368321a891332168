"""What is left out of a comparison, because it says nothing: rules, learnt or written by hand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import regex

from ronda.change.errors import FieldName, PatternEverywhere, PatternLength, PatternSlow, PatternUnclear
from ronda.change.levelling import level, level_dates
from ronda.change.selectors import Matcher, parse

LONGEST_PATTERN = 500
# For one pattern over one page; who needs longer is not asked again.
PATTERN_SECONDS = 0.25


class Facet(StrEnum):
    """What of an element."""

    TEXT = "text"
    LINK = "link"
    LOOK = "look"


class RuleKind(StrEnum):
    """`SELECTOR`: elements and all in them. `NUMBERS`: numbers and tokens in them. `FIELD`: a field of the queries of
    links. `PATTERN`: what a regular expression finds in the text."""

    SELECTOR = "selector"
    NUMBERS = "numbers"
    FIELD = "field"
    PATTERN = "pattern"


@dataclass(frozen=True, order=True)
class Rule:
    kind: RuleKind
    where: str
    # Of numbers only; the other kinds mean all of an element.
    facet: Facet = Facet.TEXT


def check(rule: Rule) -> None:
    """Raises `RuleRefused`, in words for whoever wrote it."""
    match rule.kind:
        case RuleKind.SELECTOR | RuleKind.NUMBERS:
            parse(rule.where)
        case RuleKind.FIELD:
            if not re.fullmatch(r"[^\s=&?#]{1,100}", rule.where):
                raise FieldName()
        case RuleKind.PATTERN:
            compiled(rule.where)


def compiled(pattern: str) -> regex.Pattern[str]:
    if not pattern or len(pattern) > LONGEST_PATTERN:
        raise PatternLength(most=LONGEST_PATTERN)
    try:
        found = regex.compile(pattern)
        if found.search("", timeout=PATTERN_SECONDS):
            raise PatternEverywhere()
    except (regex.error, RecursionError, OverflowError, MemoryError) as error:
        raise PatternUnclear(why=str(error)) from None
    except TimeoutError:
        raise PatternSlow() from None
    return found


@dataclass
class Ignoring:
    """Rules, ready to be used on page after page. `used`: which of them met something; `too_slow`: left alone since."""

    rules: Sequence[Rule] = ()
    used: set[Rule] = field(default_factory=set)
    too_slow: set[Rule] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.elements = [rule for rule in self.rules if rule.kind in (RuleKind.SELECTOR, RuleKind.NUMBERS)]
        self.matcher = Matcher([rule.where for rule in self.elements])
        self.patterns = [(rule, compiled(rule.where)) for rule in self.rules if rule.kind == RuleKind.PATTERN]
        self.fields = {rule.where: rule for rule in self.rules if rule.kind == RuleKind.FIELD}

    def without_fields(self, url: str) -> str:
        head, mark, query = url.partition("?")
        if not mark or not self.fields:
            return url
        query, hash_mark, place = query.partition("#")
        kept = []
        for one in query.split("&"):
            if rule := self.fields.get(one.partition("=")[0]):
                self.used.add(rule)
            else:
                kept.append(one)
        return head + ("?" if kept else "") + "&".join(kept) + hash_mark + place

    def without_patterns(self, text: str) -> str:
        """`text`: all lines of a page, as what is looked for may have lines around it."""
        for rule, pattern in self.patterns:
            if rule in self.too_slow:
                continue
            try:
                text, number = pattern.subn("", text, timeout=PATTERN_SECONDS)
            except TimeoutError:
                self.too_slow.add(rule)
                continue
            if number:
                self.used.add(rule)
        return text


def levelled(value: str, facet: Facet) -> str:
    """Of a text the names of days and months, too; of a link, the path stays as it is: its numbers name pages."""
    if facet == Facet.TEXT:
        return level_dates(value)
    head, mark, query = value.partition("?")
    return head + mark + level(query)
