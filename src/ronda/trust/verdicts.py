"""What a check means for the client whose answer was in question: it stands, is replaced, or is said to be doubtful."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext_noop as _

from ronda.frontier.robots_keeping import forget_robots_at
from ronda.grid.models import AnswerState, FetchAnswer
from ronda.grid.voiding import ask_again, doubt_answer, replace_answer
from ronda.trust.models import Check, CheckCopy
from ronda.trust.rules import Mark

REPLACED = "reported by the client, and other nodes got something else"
REPLACED_UNASKED = "compared, and two other nodes that are trusted got something else"
# Kept in English, shown in the reader's language.
UNDECIDED = _("It was reported, and other nodes' answers did not settle whether it is right.")
ELSEWHERE = _("Trusted nodes in other countries got something else.")


def settle_report(check: Check, copies: Sequence[CheckCopy], mark: Mark, *, is_outvoted: bool) -> None:
    """Only what two others agree on takes its place. Where they differ, too, nobody knows, and the client is told."""
    answer = check.answer
    if answer is None:
        return
    if not is_outvoted:
        doubt_answer(answer=answer, because="" if mark is Mark.PASSED else UNDECIDED)
        return
    if answer.state == AnswerState.REFUSED:
        forget_robots_at(name=check.host)
        ask_again(answer=answer, reason=REPLACED)
    elif better := copies[2].capture:
        replace_answer(answer=answer, capture=better, node=copies[2].node, reason=REPLACED)
    Check.objects.filter(pk=check.pk).update(mark=Mark.OUTVOTED.value)


def settle_sampled(check: Check, copies: Sequence[CheckCopy], mark: Mark) -> None:
    """Nobody complained, but it is known now: the client shall not keep what two who are trusted saw otherwise."""
    if mark not in (Mark.OUTVOTED, Mark.STRAY, Mark.ABROAD) or copies[0].capture_id is None:
        return
    mine = FetchAnswer.objects.filter(
        fetch=check.fetch, capture=copies[0].capture_id, state=AnswerState.FETCHED
    )
    answer = mine.select_related("fetch", "node").order_by("pk").first()
    better = copies[2]
    if answer is None:
        return
    if mark is Mark.ABROAD or better.capture is None or not _may_replace(answer, better):
        doubt_answer(answer=answer, because=ELSEWHERE)
    else:
        replace_answer(answer=answer, capture=better.capture, node=better.node, reason=REPLACED_UNASKED)


def _may_replace(answer: FetchAnswer, better: CheckCopy) -> bool:
    """Where the client asked for an answer from a country, nothing from elsewhere takes its place."""
    return not answer.fetch.vantage or better.country == answer.country
