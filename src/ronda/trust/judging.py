"""Copies compared, and what follows: for the nodes, and for a client whose answer turns out to be wrong."""

from __future__ import annotations

import logging
import time
import zlib
from urllib.parse import urlsplit

from django.db import transaction
from django.utils import timezone

from ronda.archive.reading import payload
from ronda.frontier import robots
from ronda.frontier.robots_keeping import forget_robots_at
from ronda.grid.comparing import PASSING_STATUSES, Seen, compare
from ronda.trust import rules, standings, verdicts, voting
from ronda.trust.checking import ask_for_copies, asked_people
from ronda.trust.models import Check, CheckCopy, CheckState, Standing, TrustState
from ronda.trust.rules import Mark
from ronda.trust.voting import Copy, Likeness

logger = logging.getLogger(__name__)

BODY_BYTES = 1024**2
# A duty of the leader is short; what is left over waits for the next turn.
TURN_SECONDS = 0.5


def judge_ready_checks(seconds: float = TURN_SECONDS) -> None:
    started = time.monotonic()
    while time.monotonic() - started < seconds and _judge_one():
        pass


def _judge_one() -> bool:
    with transaction.atomic():
        check = (
            Check.objects.filter(state=CheckState.READY)
            .order_by("asked_at")
            .select_for_update(skip_locked=True, of=("self",))
            .first()
        )
        if check is None:
            return False
        copies = list(check.copies.select_related("capture__file", "node__standing"))
        marks = _marks(check, copies)
        if marks:
            _decide(check, copies, marks)
    return True


def _marks(check: Check, copies: list[CheckCopy]) -> tuple[Mark, ...] | None:
    """None: a third copy was asked for."""
    seen = [_seen(copy) for copy in copies]
    voters = [_voter(copy, one) for copy, one in zip(copies, seen, strict=True)]
    if len(copies) == 2:
        marks = voting.marks_of_two(voters, _likeness(seen[0], seen[1]))
        if marks is None:
            _doubt_robots(check)
            return None if _ask_for_third(check, copies) else (Mark.UNCLEAR, Mark.UNCLEAR)
        return marks
    if len(copies) == 3:
        return voting.marks_of_three(voters, _likeness(seen[0], seen[2]), _likeness(seen[1], seen[2]))
    return (Mark.UNCLEAR,) * len(copies)


def _doubt_robots(check: Check) -> None:
    """Two see it differently: it is asked for again before anything else of the host, and nobody is blamed yet."""
    if urlsplit(check.url).path == robots.PATH and not check.answer_id:
        forget_robots_at(name=check.host)


def _voter(copy: CheckCopy, seen: Seen) -> Copy:
    return Copy(copy.owner or 0, copy.country, _is_trusted(copy), is_answer=_is_answer(seen.status))


def _likeness(a: Seen, b: Seen) -> Likeness:
    try:
        return Likeness(compare(a, b, is_strict=True).outcome.value)
    except (OSError, EOFError, zlib.error):
        # A file that is not on this machine, or is damaged: nothing can be said.
        logger.warning("a copy to compare cannot be read", exc_info=True)
        return Likeness.INCONCLUSIVE


def _is_trusted(copy: CheckCopy) -> bool:
    standing: Standing | None = getattr(copy.node, "standing", None)
    return standing is not None and standing.state == TrustState.TRUSTED


def _seen(copy: CheckCopy) -> Seen:
    capture = copy.capture
    if capture is None or capture.voided_at:
        return Seen(status=0)
    return Seen(
        status=capture.status,
        location=capture.url,
        mime=capture.mime,
        payload_digest=capture.digest,
        load=lambda: payload(capture.refers_to or capture, BODY_BYTES),
        is_truncated=bool(capture.truncated),
    )


def _ask_for_third(check: Check, copies: list[CheckCopy]) -> bool:
    owners = asked_people(check, copies)
    others = standings.present_people()
    if not any(owner not in owners for owner, _country in others):
        return False
    ask_for_copies([(check, copies[0].country, owners)], others)
    Check.objects.filter(pk=check.pk).update(state=CheckState.WAITING, asked_at=timezone.now())
    return True


def _decide(check: Check, copies: list[CheckCopy], marks: tuple[Mark, ...]) -> None:
    check.state, check.mark, check.decided_at = CheckState.DECIDED, marks[0].value, timezone.now()
    check.save(update_fields=["state", "mark", "decided_at"])
    for copy, mark in zip(copies, marks, strict=True):
        copy.mark = mark.value
    CheckCopy.objects.bulk_update(copies, ["mark"])
    # Before the nodes: an upload locks batches first as well.
    if check.answer_id:
        verdicts.settle_report(check, copies, marks[0], is_outvoted=_is_outvoted(check, copies))
    elif check.fetch_id:
        verdicts.settle_sampled(check, copies, marks[0])
    if marks[0] in (Mark.OUTVOTED, Mark.STRAY):
        _doubt_robots(check)
    found = standings.locked(copy.node_id for copy in copies if copy.node_id)
    for copy, mark in zip(copies, marks, strict=True):
        standing = found.get(copy.node_id) if copy.node_id else None
        if standing is None or standing.caught_by:
            continue
        accusers = tuple(other.owner for other in copies if other is not copy and other.owner is not None)
        score = rules.after_check(standings.score_of(standing), mark, check.host, accusers)
        if mark is Mark.PASSED and copy is copies[0]:
            standing.answer_mark = max(standing.answer_mark, check.answer_mark)
            standing.capture_mark = max(standing.capture_mark, check.capture_mark)
            standings.vouch_until(standing, check.vouches_until)
        standings.keep(standing, score)


def _is_outvoted(check: Check, copies: list[CheckCopy]) -> bool:
    """For the client: by two people who agree; if the accused is trusted, one of them is, too.

    Where the client asked for an answer from a country, only that country's people can put another in its place.
    """
    if len(copies) < 3 or check.answer is None:
        return False
    first, second, third = seen = [_seen(copy) for copy in copies]
    voters = [_voter(copy, one) for copy, one in zip(copies, seen, strict=True)]
    is_known = any(voter.is_trusted for voter in voters[1:]) or not voters[0].is_trusted
    is_asked_there = bool(check.answer.fetch.vantage)
    is_near = not is_asked_there or all(voter.country == voters[0].country for voter in voters)
    if not is_known or not voters[1].is_answer or _likeness(second, third) is not Likeness.MATCH:
        return False
    return not voters[0].is_answer or (is_near and _likeness(first, third) is Likeness.DIFFER)


def _is_answer(status: int) -> bool:
    return 0 < status < 500 and status not in PASSING_STATUSES
