"""Who is asked for a further copy of an answer, and what the copies say about those who brought them. Pure.

The simulator of the tests and the server run these very functions.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from enum import StrEnum

from ronda.trust.rules import LEAST_ACCUSERS, Mark


class Likeness(StrEnum):
    """Of two copies."""

    MATCH = "match"
    DIFFER = "differ"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True)
class Copy:
    """One person's answer, as a voter."""

    owner: int
    country: str
    is_trusted: bool
    # An error of the network or the host is none.
    is_answer: bool = True


Present = Set[tuple[int, str]]


@dataclass(frozen=True)
class Asked:
    """Who is asked for a copy: of this country (empty: of any), only the trusted, and of these people one is spared."""

    country: str
    is_for_trusted: bool
    people: tuple[int, ...]


def whom_to_ask(country: str, asked: Sequence[int], others: Present, trusted: Present) -> Asked:
    """Trusted people where there are some, or strangers could vouch for each other; of the same country if possible.

    `asked`: who has said something, first of all the accused. `others` and `trusted`: people who are there, and where.
    """
    known = {one for one in others & trusted if one[0] not in asked}
    pool = others & trusted if known else others
    # Of one whose country nobody knows, everybody is as near as anybody.
    is_near = bool(country) and any(owner not in asked and there == country for owner, there in pool)
    people = {owner for owner, there in pool if there == country or not is_near} - {*asked[:1]}
    return Asked(country if is_near else "", bool(known), tuple(people))


def spared(people: Sequence[int], number: int) -> int | None:
    """Who is not asked for copies of this check, another one each time: the word of the same two is not enough."""
    return sorted(people)[number % len(people)] if len(people) >= LEAST_ACCUSERS else None


def marks_of_two(copies: Sequence[Copy], likeness: Likeness) -> tuple[Mark, Mark] | None:
    """What two copies say about their nodes; None: a third has to decide."""
    first, second = copies
    if first.is_answer is not second.is_answer:
        return None
    match likeness:
        case Likeness.MATCH:
            return Mark.PASSED, Mark.PASSED
        case Likeness.INCONCLUSIVE:
            return Mark.UNCLEAR, Mark.UNCLEAR
    return None


def marks_of_three(
    copies: Sequence[Copy], first_third: Likeness, second_third: Likeness
) -> tuple[Mark, Mark, Mark]:
    """What a third copy says, when the first two differ. All different: such is the page, and nobody is blamed."""
    first, second, third = copies
    match first_third is Likeness.MATCH, second_third is Likeness.MATCH:
        case True, True:
            return Mark.PASSED, Mark.PASSED, Mark.PASSED
        case True, False:
            return Mark.PASSED, _loser(second, (first, third), second_third), Mark.PASSED
        case False, True:
            return _loser(first, (second, third), first_third), Mark.PASSED, Mark.PASSED
    return Mark.UNCLEAR, Mark.UNCLEAR, Mark.UNCLEAR


def _loser(accused: Copy, voters: Sequence[Copy], likeness: Likeness) -> Mark:
    """Outvoted only by those who could know: trusted, and where pages look as they do for the accused."""
    if not all(voter.is_trusted for voter in voters):
        return Mark.UNCLEAR
    if not accused.is_answer:
        return Mark.DENIED
    if likeness is not Likeness.DIFFER:
        return Mark.UNCLEAR
    if all(voter.country == accused.country for voter in voters):
        return Mark.OUTVOTED
    return Mark.ABROAD if accused.country else Mark.STRAY
