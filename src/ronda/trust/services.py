"""Taking back what a liar said, letting a node out of quarantine, and clients' reports of wrong answers."""

from __future__ import annotations

import time
import uuid
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.archive.models import Capture
from ronda.archive.queries import captures_of_host
from ronda.archive.withdrawals import void_captures
from ronda.errors import InvalidInput
from ronda.frontier.robots_keeping import forget_robots_of
from ronda.grid.errors import NoSuchNode
from ronda.grid.models import AnswerState, FetchAnswer, Node
from ronda.grid.voiding import void_answers_of
from ronda.policies.queries import value_of
from ronda.trust import standings
from ronda.trust.checking import ask_for_copies, asked_people, host_of, robots_url_of
from ronda.trust.errors import (
    NoSuchAnswer,
    NotInQuarantine,
    ReportedAlready,
    TooManyReports,
    TooManyUnfoundedReports,
)
from ronda.trust.models import Check, CheckCopy, CheckState, Incident, Standing
from ronda.trust.policies import UNFOUNDED_REPORTS
from ronda.trust.queries import reportable_answers, unfounded_reports_of
from ronda.trust.rules import Mark, Score

VOID_REASON = "brought by a node that was found to give wrong answers; it is fetched again"
BESIDE_REASON = "Another machine of the same person was found to give wrong answers."
OPEN_REPORTS = 100
REOPENED_WITHIN = timedelta(days=7)
TURN_SECONDS = 2.0


def take_back_answers_of_liars() -> None:
    """What nodes in quarantine answered since their last passed check: voided, and fetched again by others."""
    started = time.monotonic()
    _doubt_machines_beside()
    for standing in Standing.objects.filter(is_to_be_voided=True).select_related("node"):
        # A duty of the leader is short: what is left over waits for the next turn.
        # First the rules it told and the captures it made: nobody shall be answered by them meanwhile.
        forget_robots_of(node=standing.node_id)
        because = standing.reason or BESIDE_REASON
        void_captures(node=standing.node_id, after=standing.capture_mark, because=because)
        while time.monotonic() - started < TURN_SECONDS:
            if _take_back_some(standing) == 0:
                Standing.objects.filter(pk=standing.pk).update(is_to_be_voided=False)
                break


def _doubt_machines_beside() -> None:
    """Whose one machine lies cannot be believed with the others either: what none of them was checked for goes, too."""
    caught = Standing.objects.filter(is_to_be_voided=True).exclude(caught_by="")
    beside = Node.objects.filter(owner__in=caught.values("node__owner")).exclude(pk__in=caught.values("pk"))
    with transaction.atomic():
        found = standings.locked(beside.values_list("pk", flat=True))
        Standing.objects.filter(pk__in=found, caught_by="").update(is_to_be_voided=True)


def _take_back_some(standing: Standing) -> int:
    owner = standing.node.owner_id
    others = {person for person, _country in standings.present_people()} - {owner}
    return void_answers_of(
        node=standing.node,
        after=standing.answer_mark,
        captures_after=standing.capture_mark,
        reason=VOID_REASON,
        # With nobody else there, this person's other machines may do it: better than never.
        not_owners=(owner,) if others else (),
    )


def lift_quarantine(*, actor: Person | None, node_id: uuid.UUID, reason: str) -> Standing:
    """The node begins anew, as one nobody knows; what was taken back stays so."""
    administrator = require(actor, Role.ADMINISTRATOR)
    if len(reason) > 300 or "\0" in reason:
        raise InvalidInput("A reason has at most 300 characters.", field="reason")
    if not Node.objects.filter(pk=node_id).exists():
        raise NoSuchNode()
    with transaction.atomic():
        standing = standings.locked([node_id])[node_id]
        if not standing.caught_by:
            raise NotInQuarantine()
        standing.quarantined_at, standing.reason, standing.is_to_be_voided = None, "", False
        standing.answer_mark, standing.capture_mark = standings.marks_now()
        standings.keep(standing, Score())
        beside = Standing.objects.filter(node__owner=standing.node.owner_id, caught_by="")
        beside.exclude(pk=node_id).update(skipped=0, luck=1.0)
        Incident.objects.create(
            node_id=node_id, kind=Incident.Kind.LIFTED, reason=reason.strip(), by=administrator
        )
    return standing


def report_answer(
    *,
    actor: Person | None,
    fetch_id: uuid.UUID,
    url: str = "",
    country: str = "",
    answer_id: int | None = None,
    note: str = "",
) -> Check:
    """A client says that an answer is wrong: it is fetched again by somebody else, and compared.

    Which one: by its id, or the newest to a URL, of a country if the URL was fetched from several.
    """
    client = require(actor, Role.CLIENT)
    answer = _reported(reportable_answers(actor=actor, fetch_id=fetch_id), url, country, answer_id)
    is_open = Check.objects.filter(
        reported_by=client, state__in=(CheckState.WAITING, CheckState.READY), answer__isnull=False
    )
    if is_open.count() >= OPEN_REPORTS:
        raise TooManyReports(retry_after_seconds=600)
    if unfounded_reports_of(client) >= int(value_of(UNFOUNDED_REPORTS)):
        raise TooManyUnfoundedReports(retry_after_seconds=3600)
    try:
        with transaction.atomic():
            return _open_report(client, answer, note)
    except IntegrityError:
        raise ReportedAlready() from None


def _reported(found: QuerySet[FetchAnswer], url: str, country: str, answer_id: int | None) -> FetchAnswer:
    """A URL alone is no answer where several countries gave one each: none is accused by chance."""
    if answer_id is None and not url:
        raise InvalidInput("Say which answer: its URL, or its id in the results.", field="url")
    if answer_id is not None:
        found = found.filter(pk=answer_id)
    if url:
        found = found.filter(url=url)
    if country:
        found = found.filter(country=country)
    answers = list(found.select_related("fetch").order_by("-pk"))
    if not answers:
        raise NoSuchAnswer()
    seen_from = sorted({answer.country for answer in answers})
    if answers[0].fetch.vantage and len(seen_from) > 1:
        raise InvalidInput(
            f"This URL has an answer from each of {', '.join(seen_from)}: say which.", field="country"
        )
    return answers[0]


def _open_report(client: Person, answer: FetchAnswer, note: str) -> Check:
    """Of a refusal the rules are in question: they are what is compared."""
    is_refusal = answer.state == AnswerState.REFUSED
    url = robots_url_of(answer.url) if is_refusal else answer.url
    check = Check.objects.create(
        url=url, host=host_of(url), answer=answer, reported_by=client, note=note[:200]
    )
    node = answer.node
    capture = _capture_of(url, node) if is_refusal and node else answer.capture
    CheckCopy.objects.create(
        of=check,
        node=node,
        owner=node.owner_id if node else None,
        country=node.country if node else "",
        status=capture.status if capture else 0,
        capture=capture,
    )
    if not _ask_others(check):
        # Alone for now: taken up again when somebody else is there.
        check.state, check.mark, check.decided_at = CheckState.GIVEN_UP, Mark.UNCLEAR.value, timezone.now()
        check.save()
    return check


def _capture_of(url: str, node: Node) -> Capture | None:
    return captures_of_host(host_of(url)).filter(url=url, node=node.pk).order_by("-pk").first()


def _ask_others(check: Check) -> bool:
    """Whether there is anybody to ask who has not said anything yet, and is not who complains."""
    owners = asked_people(check, list(check.copies.all()))
    others = standings.present_people()
    if not any(owner not in owners for owner, _country in others):
        return False
    ask_for_copies([(check, check.copies.all()[0].country, owners)], others)
    return True


def reopen_reports() -> None:
    """Reports that nobody else could look into, once somebody else is there who could."""
    given_up = Check.objects.filter(
        state=CheckState.GIVEN_UP, answer__isnull=False, created_at__gt=timezone.now() - REOPENED_WITHIN
    )
    for check in given_up.order_by("created_at")[:OPEN_REPORTS]:
        with transaction.atomic():
            if _ask_others(check):
                check.state, check.mark, check.decided_at = CheckState.WAITING, "", None
                check.asked_at = timezone.now()
                check.save(update_fields=["state", "mark", "decided_at", "asked_at"])
