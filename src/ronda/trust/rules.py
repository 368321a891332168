"""When a node is checked, what a check says about it, and when it is caught. Numbers and nothing else.

The simulator of the tests and the server run these very functions.

Two kinds of evidence. A probe is a page of our own whose answer we know: a wrong answer is proof. (A page of others
that several people got alike makes a probe, too; there a wrong answer only raises how often a node is checked.) A
second copy is another person's answer to the same URL: pages change, differ by country, or are made anew for everybody,
so a difference is only suspicion. It raises how often a node is checked; to catch a node by it alone takes many
differences, on several hosts, each confirmed by two trusted people of the same country, and three people in all.

Weaker still is what people elsewhere see otherwise (pages differ by country), and a page that a node says it could not
get, and trusted ones could (networks fail). Both are common for a few hosts and strange for all of them: they count
only when nothing else has been seen of a node for long, on three times as many hosts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

# BOINC's adaptive replication, with a floor: a patient liar is never left alone for long.
FIRST_REPLICATED = 10
LEAST_RATE = 0.02
MOST_PROBE_RATE = 0.2
# Until it is trusted a node gets little at a time, and no more before that is compared, or it could be done with much
# before its first check is.
SMALL_BLOCK_URLS = 20
TRUSTED_FROM = 10
SUSPECTED_FROM = 2
UNREACHED_IN_A_ROW = 5
# To be caught by votes alone: of the last ten that count, eight against, on three hosts, by three people.
VOTES_KEPT = 10
VOTES_AGAINST = 8
LEAST_HOSTS = 3
LEAST_ACCUSERS = 3
# With weak votes among them: suspected from eight of the last ten, caught by twenty in a row, on ten hosts.
SUSPECTED_FROM_WEAK = 8
VOTES_KEPT_WEAK = 20
LEAST_HOSTS_WEAK = 10


class State(StrEnum):
    NEW = "new"
    TRUSTED = "trusted"
    SUSPECTED = "suspected"
    QUARANTINED = "quarantined"


class Mark(StrEnum):
    """What one check says about one node."""

    PASSED = "passed"
    OUTVOTED = "outvoted"
    # Outvoted by trusted people of other countries than its own.
    ABROAD = "abroad"
    # It said that there is no answer, and two trusted people got one.
    DENIED = "denied"
    UNCLEAR = "unclear"


WEAK = frozenset({Mark.ABROAD, Mark.DENIED})


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

    mark: Mark
    host: str
    accusers: tuple[int, ...] = ()

    @property
    def is_against(self) -> bool:
        return self.mark is not Mark.PASSED


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
    # An error of the network or the host is none.
    is_answer: bool = True


def state_of(score: Score) -> State:
    if score.caught_by:
        return State.QUARANTINED
    if _is_suspect(score) or score.unreached >= UNREACHED_IN_A_ROW:
        return State.SUSPECTED
    return State.TRUSTED if score.passed >= TRUSTED_FROM else State.NEW


def replica_rate(score: Score) -> float:
    """How likely an answer is compared with another person's; decided after it came."""
    if score.replicated < FIRST_REPLICATED:
        return 1.0
    # Unclear ones do not count: who makes all copies differ would be left alone.
    return max(LEAST_RATE, 1 / max(1, score.consecutive_valid))


def probe_rate(score: Score) -> float:
    """How many probes per URL are mixed in."""
    return max(LEAST_RATE, min(MOST_PROBE_RATE, 1 / max(1, score.consecutive_valid)))


def most_urls(score: Score, undecided: int = 0) -> int | None:
    """How many URLs at a time; None: as many as anybody. `undecided`: its answers that wait to be compared."""
    return None if state_of(score) is State.TRUSTED else max(0, SMALL_BLOCK_URLS - undecided)


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
            return _with_vote(_passed(score), Vote(mark, host))
        case Mark.UNCLEAR:
            return replace(score, unclear=score.unclear + 1)
        case Mark.ABROAD | Mark.DENIED:
            doubted = replace(score, unclear=score.unclear + 1)
        case Mark.OUTVOTED:
            # One difference may be a page that changed in between; a second one is worth looking closer.
            doubted = replace(
                score,
                checked=score.checked + 1,
                failed=score.failed + 1,
                consecutive_valid=score.consecutive_valid // 2,
            )
    doubted = _with_vote(doubted, Vote(mark, host, accusers))
    if _is_suspect(doubted):
        doubted = replace(doubted, consecutive_valid=0)
    return replace(doubted, caught_by=_caught_by(doubted))


def _passed(score: Score) -> Score:
    return replace(
        score,
        checked=score.checked + 1,
        passed=score.passed + 1,
        consecutive_valid=score.consecutive_valid + 1,
    )


def _with_vote(score: Score, vote: Vote) -> Score:
    return replace(score, votes=(*score.votes, vote)[-VOTES_KEPT_WEAK:])


def _against(votes: Sequence[Vote]) -> list[Vote]:
    return [vote for vote in votes if vote.is_against]


def _strong(votes: Sequence[Vote]) -> list[Vote]:
    return [vote for vote in votes if vote.mark not in WEAK]


def _is_suspect(score: Score) -> bool:
    against = _against(score.votes[-VOTES_KEPT:])
    return len(_strong(against)) >= SUSPECTED_FROM or len(against) >= SUSPECTED_FROM_WEAK


def _caught_by(score: Score) -> str:
    strong = _strong(_against(score.votes[-VOTES_KEPT:]))
    against = _against(score.votes)
    if len(strong) >= VOTES_AGAINST and _is_broad(strong, LEAST_HOSTS):
        return "votes"
    if len(against) == VOTES_KEPT_WEAK and _is_broad(against, LEAST_HOSTS_WEAK):
        denied = [vote for vote in against if vote.mark is Mark.DENIED]
        return "failures" if len(denied) > VOTES_KEPT_WEAK / 2 else "votes"
    return ""


def _is_broad(against: Sequence[Vote], least_hosts: int) -> bool:
    accusers = {owner for vote in against for owner in vote.accusers}
    return len({vote.host for vote in against}) >= least_hosts and len(accusers) >= LEAST_ACCUSERS


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
    is_near = accused.country != "" and all(voter.country == accused.country for voter in voters)
    return Mark.OUTVOTED if is_near else Mark.ABROAD
