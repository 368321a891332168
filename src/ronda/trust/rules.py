"""When a node is checked, what a check says about it, and when it is caught. Numbers and nothing else.

The simulator of the tests and the server run these very functions.

Two kinds of evidence. A probe is a page of our own whose answer we know: a wrong answer is proof. (A page of others
that several people got alike makes a probe, too; there a wrong answer only raises how often a node is checked.) A
second copy is another person's answer to the same URL: pages change, differ by country, or are made anew for everybody,
so a difference is only suspicion. It raises how often a node is checked; to catch a node by it alone takes many
differences, on several hosts, each confirmed by two trusted people of the same country, and three people in all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

# BOINC's adaptive replication, with a floor: a patient liar is never left alone for long.
FIRST_REPLICATED = 10
LEAST_RATE = 0.02
MOST_PROBE_RATE = 0.2
# Until it is trusted a node gets little at a time, or it could be done with much before its first check is.
SMALL_BLOCK_URLS = 20
TRUSTED_FROM = 10
SUSPECTED_FROM = 2
UNREACHED_IN_A_ROW = 5
# To be caught by votes alone: of the last ten that count, eight against, on three hosts, by three people.
VOTES_KEPT = 10
VOTES_AGAINST = 8
LEAST_HOSTS = 3
LEAST_ACCUSERS = 3


class State(StrEnum):
    NEW = "new"
    TRUSTED = "trusted"
    SUSPECTED = "suspected"
    QUARANTINED = "quarantined"


class Mark(StrEnum):
    """What one check says about one node."""

    PASSED = "passed"
    OUTVOTED = "outvoted"
    UNCLEAR = "unclear"


class Likeness(StrEnum):
    """Of two copies."""

    MATCH = "match"
    DIFFER = "differ"
    INCONCLUSIVE = "inconclusive"


class ProbeResult(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    # No answer, or one that breaks off: bad luck and bad networks look like this, and so they do not accuse.
    UNREACHED = "unreached"
    # Not what others got for a page that is not ours: it may have changed since.
    DOUBTED = "doubted"


@dataclass(frozen=True)
class Vote:
    """A check that counts: for the node, or against it and by whom."""

    is_against: bool
    host: str
    accusers: tuple[int, ...] = ()


@dataclass(frozen=True)
class Score:
    """What is known of one node. `replicated`: answers that were to be compared with another person's."""

    replicated: int = 0
    checked: int = 0
    passed: int = 0
    failed: int = 0
    unclear: int = 0
    unreached: int = 0
    consecutive_valid: int = 0
    votes: tuple[Vote, ...] = ()
    caught_by: str = ""


@dataclass(frozen=True)
class Copy:
    """One person's answer, as a voter."""

    owner: int
    country: str
    is_trusted: bool


def state_of(score: Score) -> State:
    if score.caught_by:
        return State.QUARANTINED
    if len(_against(score)) >= SUSPECTED_FROM or score.unreached >= UNREACHED_IN_A_ROW:
        return State.SUSPECTED
    return State.TRUSTED if score.passed >= TRUSTED_FROM else State.NEW


def replica_rate(score: Score) -> float:
    """How likely an answer is compared with another person's; decided after it came."""
    if score.replicated < FIRST_REPLICATED:
        return 1.0
    # Where copies never agree, asking for more of them teaches nothing and costs the sites.
    return max(LEAST_RATE, 1 / max(1.0, score.consecutive_valid + score.unclear / 2))


def probe_rate(score: Score) -> float:
    """How many probes per URL are mixed in."""
    return max(LEAST_RATE, min(MOST_PROBE_RATE, 1 / max(1, score.consecutive_valid)))


def most_urls(score: Score) -> int | None:
    """How many URLs at a time; None: as many as anybody."""
    return None if state_of(score) is State.TRUSTED else SMALL_BLOCK_URLS


def needs_a_probe(score: Score) -> bool:
    """A node that never passed enough gets one with every block, whatever chance says."""
    return state_of(score) is not State.TRUSTED


def after_probe(score: Score, result: ProbeResult) -> Score:
    match result:
        case ProbeResult.PASSED:
            return replace(_passed(score), unreached=0)
        case ProbeResult.UNREACHED:
            return replace(score, unreached=score.unreached + 1)
        case ProbeResult.DOUBTED:
            # Looked at more closely, and no more than that.
            return replace(score, consecutive_valid=score.consecutive_valid // 2)
    return replace(
        score, checked=score.checked + 1, failed=score.failed + 1, consecutive_valid=0, caught_by="probe"
    )


def after_check(score: Score, mark: Mark, host: str, accusers: tuple[int, ...] = ()) -> Score:
    match mark:
        case Mark.PASSED:
            return _with_vote(_passed(score), Vote(False, host))
        case Mark.UNCLEAR:
            return replace(score, unclear=score.unclear + 1)
    outvoted = _with_vote(
        replace(score, checked=score.checked + 1, failed=score.failed + 1), Vote(True, host, accusers)
    )
    # One difference may be a page that changed in between; a second one is worth looking closer.
    is_first = len(_against(outvoted)) < SUSPECTED_FROM
    outvoted = replace(
        outvoted,
        consecutive_valid=score.consecutive_valid // 2 if is_first else 0,
        unclear=score.unclear if is_first else 0,
    )
    return replace(outvoted, caught_by="votes") if _is_caught_by_votes(outvoted) else outvoted


def _passed(score: Score) -> Score:
    return replace(
        score,
        checked=score.checked + 1,
        passed=score.passed + 1,
        consecutive_valid=score.consecutive_valid + 1,
    )


def _with_vote(score: Score, vote: Vote) -> Score:
    return replace(score, votes=(*score.votes, vote)[-VOTES_KEPT:])


def _against(score: Score) -> list[Vote]:
    return [vote for vote in score.votes if vote.is_against]


def _is_caught_by_votes(score: Score) -> bool:
    against = _against(score)
    accusers = {owner for vote in against for owner in vote.accusers}
    return (
        len(against) >= VOTES_AGAINST
        and len({vote.host for vote in against}) >= LEAST_HOSTS
        and len(accusers) >= LEAST_ACCUSERS
    )


def marks_of_two(likeness: Likeness) -> tuple[Mark, Mark] | None:
    """What two copies say about their nodes; None: a third has to decide."""
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
    is_known = accused.country != "" and all(
        voter.country == accused.country and voter.is_trusted for voter in voters
    )
    return Mark.OUTVOTED if is_known and likeness is Likeness.DIFFER else Mark.UNCLEAR
