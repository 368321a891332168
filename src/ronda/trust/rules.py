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

A probe that is not in an upload, though other URLs of the block are, is evidence as well. A node that is interrupted
leaves out what chance has put last; of one that leaves out the probes every time, the chance of that is multiplied up
until nobody would believe it. A probe that it says it could not reach is not left out: networks have walls.

Who knows our pages can be honest there and nowhere else. So to pass probes alone makes nobody trusted, and nobody is
compared much less for it: other people's answers must have agreed as well, where there are other people.
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
# Of them, so many in a row by other people's answers; and what probes add to those for being compared less is bounded.
AGREED_FROM = 5
PROBED_PER_AGREED = 3
SUSPECTED_FROM = 2
# Machines are switched off: so many blocks a day may be lost.
FREELY_LOST = 1
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
# Not to tell one's country is no excuse: three exceptions of twenty, where others have none. Fewer would not do, as
# the pages that differ by country are decided last, and come in a row.
VOTES_AGAINST_STRAY = 17
LEAST_HOSTS_STRAY = 6
# Two accusers are enough against one that passed none of its last probes: two who lie together cannot bring that about.
UNPASSED_IN_A_ROW = 3
LEAST_ACCUSERS_OF_UNPASSED = 2
# How unlikely it may be that a node left out nothing but what an interruption takes: then it is suspected, then caught.
SUSPECTED_LUCK = 1e-2
CAUGHT_LUCK = 1e-5
# So bad a luck of one machine is held against all of the same person, and not only against those that passed nothing.
SHARED_LUCK = 1e-3


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
    # Outvoted by trusted people of known countries, while nobody knows its own.
    STRAY = "stray"
    # It said that there is no answer, and two trusted people got one.
    DENIED = "denied"
    UNCLEAR = "unclear"


WEAK = frozenset({Mark.ABROAD, Mark.STRAY, Mark.DENIED})


class ProbeResult(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    # No answer, or one that breaks off: bad luck and bad networks look like this, and so they do not accuse.
    UNREACHED = "unreached"
    # Not what others got for a page that is not ours: it may have changed since.
    DOUBTED = "doubted"
    # What others got for a page that is not ours. Nobody could have told it from work, so it excuses nothing left out.
    AGREED = "agreed"
    # Not in an upload that has other URLs of the block.
    SKIPPED = "skipped"


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
    # Comparisons in a row that other people's answers confirmed.
    agreed: int = 0
    # Uploads in a row without the probes that were in their blocks, and how likely an honest node has so many.
    skipped: int = 0
    luck: float = 1.0
    votes: tuple[Vote, ...] = ()
    caught_by: str = ""


def state_of(score: Score, *, is_alone: bool = False) -> State:
    """`is_alone`: there is nobody to compare it with, or it is the operator's own; then probes have to do."""
    if score.caught_by:
        return State.QUARANTINED
    if doubt_of(score):
        return State.SUSPECTED
    is_confirmed = is_alone or score.agreed >= AGREED_FROM
    return State.TRUSTED if is_confirmed and score.passed >= TRUSTED_FROM else State.NEW


def doubt_of(score: Score) -> str:
    """Why a node is suspected: the word its reason is kept under. Empty: it is not."""
    if score.caught_by:
        return ""
    if score.luck < SUSPECTED_LUCK:
        return "skipped"
    if score.unreached >= UNREACHED_IN_A_ROW:
        return "unreached"
    return "votes" if _is_suspect(score) else ""


def replica_rate(score: Score) -> float:
    """How likely an answer is compared with another person's; decided after it came."""
    if score.replicated < FIRST_REPLICATED:
        return 1.0
    # Unclear ones do not count: who makes all copies differ would be left alone.
    valid = min(score.consecutive_valid, PROBED_PER_AGREED * score.agreed)
    return max(LEAST_RATE, 1 / max(1, valid))


def probe_rate(score: Score) -> float:
    """How many probes per URL are mixed in."""
    return max(LEAST_RATE, min(MOST_PROBE_RATE, 1 / max(1, score.consecutive_valid)))


def most_urls(score: Score, undecided: int = 0, *, lost: int = 0, is_alone: bool = False) -> int | None:
    """How many URLs at a time; None: as many as anybody. `undecided`: its answers that wait to be compared. `lost`:
    blocks that its person was given lately and never brought.

    Half as many with each upload without its probes, and with each block that is lost: however it ends, little was done
    until then, and little is kept from others.
    """
    few = max(1, SMALL_BLOCK_URLS >> (score.skipped + max(0, lost - FREELY_LOST)))
    return None if state_of(score, is_alone=is_alone) is State.TRUSTED else max(0, few - undecided)


def needs_a_probe(score: Score) -> bool:
    """A node that never passed enough gets one with every block, whatever chance says."""
    return state_of(score, is_alone=True) is not State.TRUSTED


def after_probe(score: Score, result: ProbeResult) -> Score:
    match result:
        case ProbeResult.PASSED:
            return replace(_passed(score), unreached=0, skipped=0, luck=1.0)
        case ProbeResult.AGREED:
            return _agreed(score)
        case ProbeResult.UNREACHED:
            return replace(score, unreached=score.unreached + 1)
        case ProbeResult.SKIPPED:
            # One says nothing: see after_skipping.
            return score
        case ProbeResult.DOUBTED:
            # Looked at more closely, and no more than that.
            return _halved(score)
    failed = replace(_unconfirmed(score), checked=score.checked + 1, failed=score.failed + 1)
    return replace(failed, caught_by="probe")


def after_skipping(score: Score, asked: int, answered: int) -> Score:
    """An upload without any of its probes. `asked`: other URLs of the block, so many of them `answered`.

    All its probes count as one URL more: they stand on one host, and are left out together.
    """
    if answered == 0:
        return score
    luck = score.luck * (asked - answered + 1) / (asked + 1)
    skipped = replace(score, skipped=score.skipped + 1, luck=luck)
    if luck < SUSPECTED_LUCK:
        skipped = _unconfirmed(skipped)
    return replace(skipped, caught_by="skipped") if luck < CAUGHT_LUCK else skipped


def beside(score: Score, siblings: Sequence[Score]) -> Score:
    """With what other machines of the same person left out: who registers again goes on where they stopped."""
    worst = min(siblings, key=lambda sibling: sibling.luck, default=score)
    is_shared = score.passed == 0 or worst.luck < SHARED_LUCK
    if not needs_a_probe(score) or worst.luck >= score.luck or not is_shared:
        return score
    return replace(score, luck=worst.luck, skipped=max(score.skipped, worst.skipped))


def after_check(score: Score, mark: Mark, host: str, accusers: tuple[int, ...] = ()) -> Score:
    match mark:
        case Mark.PASSED:
            return _with_vote(_agreed(score), Vote(mark, host))
        case Mark.UNCLEAR:
            return replace(score, unclear=score.unclear + 1)
        case Mark.ABROAD | Mark.DENIED:
            doubted = replace(score, unclear=score.unclear + 1)
        case Mark.OUTVOTED | Mark.STRAY:
            # One difference may be a page that changed in between; a second one is worth looking closer.
            doubted = replace(_halved(score), checked=score.checked + 1, failed=score.failed + 1)
    doubted = _with_vote(doubted, Vote(mark, host, accusers))
    if _is_suspect(doubted):
        doubted = _unconfirmed(doubted)
    return replace(doubted, caught_by=_caught_by(doubted))


def _passed(score: Score) -> Score:
    return replace(
        score,
        checked=score.checked + 1,
        passed=score.passed + 1,
        consecutive_valid=score.consecutive_valid + 1,
    )


def _agreed(score: Score) -> Score:
    return replace(_passed(score), agreed=score.agreed + 1)


def _halved(score: Score) -> Score:
    return replace(score, consecutive_valid=score.consecutive_valid // 2, agreed=score.agreed // 2)


def _unconfirmed(score: Score) -> Score:
    return replace(score, consecutive_valid=0, agreed=0)


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
    is_unpassed = score.unreached + score.skipped >= UNPASSED_IN_A_ROW
    least_accusers = LEAST_ACCUSERS_OF_UNPASSED if is_unpassed else LEAST_ACCUSERS
    if len(strong) >= VOTES_AGAINST and _is_broad(strong, LEAST_HOSTS, least_accusers):
        return "votes"
    stray = [vote for vote in against if vote.mark in (Mark.OUTVOTED, Mark.STRAY)]
    if len(stray) >= VOTES_AGAINST_STRAY and _is_broad(stray, LEAST_HOSTS_STRAY, least_accusers):
        return "votes"
    if len(against) == VOTES_KEPT_WEAK and _is_broad(against, LEAST_HOSTS_WEAK, least_accusers):
        denied = [vote for vote in against if vote.mark is Mark.DENIED]
        return "failures" if len(denied) > VOTES_KEPT_WEAK / 2 else "votes"
    return ""


def _is_broad(against: Sequence[Vote], least_hosts: int, least_accusers: int) -> bool:
    accusers = {owner for vote in against for owner in vote.accusers}
    return len({vote.host for vote in against}) >= least_hosts and len(accusers) >= least_accusers
