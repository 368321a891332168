"""Second copies: which answers are fetched again by somebody else, and how those copies come back.

A further copy is an ordinary request of the purpose "check": it waits its turn at the host's gate like any other.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from django.db.models import QuerySet
from django.utils import timezone

from ronda.archive.models import Capture
from ronda.frontier import leases, robots
from ronda.frontier import services as frontier
from ronda.frontier.blocks import Completion, Wanted
from ronda.frontier.models import Batch, Host, Request
from ronda.frontier.purposes import Ended, OutcomeState, register_purpose
from ronda.grid.models import Node
from ronda.trust import rules, standings, voting
from ronda.trust.known_pages import known_digests
from ronda.trust.models import Check, CheckCopy, CheckState, Standing
from ronda.trust.rules import Mark, Score
from ronda_node.policy import ANYWHERE
from ronda_node.urls import canonicalise

PURPOSE = "check"
# Before clients' requests of the same host: a liar goes on until its check is decided.
PRIORITY = -1
# A copy that nobody brought by then is given up.
PATIENCE = timedelta(minutes=30)
# What a liar or a failure left to others is anybody's after this long.
OTHERS_PATIENCE = timedelta(minutes=10)
_chance = random.SystemRandom()


def sample(node: Node, ended: Sequence[Ended], brought: int, fetches: Mapping[int, str]) -> None:
    """Choose answers to check, now that they are there. Alone, there is nobody to compare with, and nothing waits.

    `brought`: how many came with them. A check that is passed vouches for what came before, not for its neighbours.
    `fetches`: which batches are clients' fetches, and whose.
    """
    if not ended:
        return
    chosen = _draw(ended, standings.score_of(Standing.objects.filter(node=node).first()))
    others = standings.present_people() if chosen else set()
    if not any(owner != node.owner_id for owner, _country in others):
        return
    standing = standings.locked([node.pk])[node.pk]
    score = standings.score_of(standing)
    score = replace(score, replicated=score.replicated + len(chosen))
    score = _pass_by_known(node, chosen, score)
    answer_mark, capture_mark = standings.marks_now()
    marks = max(0, answer_mark - brought), max(0, capture_mark - brought)
    _ask_second_copies(node, chosen, others, marks, fetches)
    if score.passed > standing.passed:
        standing.answer_mark, standing.capture_mark = marks
        standings.vouch_until(standing, node.answered_at)
    standings.keep(standing, score)


def _draw(ended: Sequence[Ended], score: Score) -> list[Ended]:
    chosen: list[Ended] = []
    for one in ended:
        if _chance.random() < rules.replica_rate(replace(score, replicated=score.replicated + len(chosen))):
            chosen.append(one)
    return chosen


def _pass_by_known(node: Node, chosen: list[Ended], score: Score) -> Score:
    """Answers that several others agree on already need no further copy; those are taken out of `chosen`."""
    captures = Capture.objects.in_bulk([one.outcome.capture_id for one in chosen])
    known = known_digests([capture.url for capture in captures.values()], not_by=node.owner_id)
    for one in list(chosen):
        capture = captures.get(one.outcome.capture_id or 0)
        if capture and known.get(capture.url) == capture.digest:
            chosen.remove(one)
            score = rules.after_check(score, Mark.PASSED, host_of(capture.url))
    return score


def host_of(url: str) -> str:
    return canonicalise(url, ANYWHERE).authority


def robots_url_of(url: str) -> str:
    found = canonicalise(url, ANYWHERE)
    return f"{found.scheme}://{found.authority}{robots.PATH}"


def asked_people(check: Check, copies: Sequence[CheckCopy]) -> tuple[int, ...]:
    """Who is not asked any more: they have said something. And never who complains, or one could judge for oneself."""
    owners = [copy.owner for copy in copies if copy.owner is not None]
    return tuple(dict.fromkeys([*owners, *([check.reported_by_id] if check.reported_by_id else [])]))


def _ask_second_copies(
    node: Node,
    chosen: Sequence[Ended],
    others: set[tuple[int, str]],
    marks: tuple[int, int],
    fetches: Mapping[int, str],
) -> None:
    """`node` is as it was before this upload: so are the times until which its checks vouch."""
    checks = Check.objects.bulk_create(
        Check(
            url=one.request.url,
            host=host_of(one.request.url),
            answer_mark=marks[0],
            capture_mark=marks[1],
            vouches_until=node.answered_at,
            fetch_id=fetches.get(one.request.batch_id),
        )
        for one in chosen
    )
    CheckCopy.objects.bulk_create(_copy(check, one, node) for check, one in zip(checks, chosen, strict=True))
    ask_for_copies([(check, node.country, (node.owner_id,)) for check in checks], others)


def _copy(check: Check, one: Ended, node: Node | None) -> CheckCopy:
    return CheckCopy(
        of=check,
        node=node,
        owner=node.owner_id if node else None,
        country=node.country if node else "",
        status=one.outcome.status,
        capture_id=one.outcome.capture_id,
    )


def ask_for_copies(
    wanted: Sequence[tuple[Check, str, tuple[int, ...]]], others: set[tuple[int, str]]
) -> None:
    """One more copy of each, by none of these people; by somebody trusted, and of the same country, if there is one."""
    if not wanted:
        return
    # A batch of their own: nobody else holds its row, so that this may happen while an upload holds others.
    batch = frontier.open_batch(purpose=PURPOSE, owner=str(uuid.uuid4()), priority=PRIORITY)
    requests = []
    trusted = standings.trusted_people()
    for check, country, owners in wanted:
        url = canonicalise(check.url, ANYWHERE)
        asked = voting.whom_to_ask(country, owners, others, trusted)
        spared = voting.spared(asked.people, check.pk)
        requests.append(
            Wanted(
                url.text,
                url.authority,
                url.scheme,
                copy=f"{PURPOSE}-{check.pk}",
                country=asked.country,
                not_owners=owners if spared is None else (*owners, spared),
                is_for_trusted=asked.is_for_trusted,
            )
        )
    frontier.put_requests(batch=batch, wanted=requests)


def _hear(batch: Batch, ended: Sequence[Ended]) -> None:
    """Copies that came, or never will. What they say is decided later, apart from the upload."""
    checks = Check.objects.in_bulk([int(one.request.copy.partition("-")[2]) for one in ended])
    nodes = Node.objects.in_bulk([one.outcome.node for one in ended if one.outcome.node])
    found = [(checks.get(int(one.request.copy.partition("-")[2])), one) for one in ended]
    CheckCopy.objects.bulk_create(
        _copy(check, one, nodes.get(one.outcome.node) if one.outcome.node else None)
        for check, one in found
        if check
    )
    Check.objects.filter(pk__in=checks, state=CheckState.WAITING).update(state=CheckState.READY)


def worth_checking(ended: Sequence[Ended]) -> list[Ended]:
    """Answers, and what is said to have none. Not what the node's own cap cut off: nobody pays for it, and others' caps
    cut elsewhere."""
    said = (OutcomeState.FETCHED, OutcomeState.FAILED)
    return [one for one in ended if one.outcome.state in said and not one.outcome.is_cut_off]


def undisputed(robots_files: Sequence[Ended]) -> list[Ended]:
    """Without those that are being compared: where two differ it is asked for again at once, and each further answer
    compared anew would have a host asked for nothing else."""
    urls = [one.request.url for one in robots_files]
    is_open = Check.objects.filter(state__in=(CheckState.WAITING, CheckState.READY), url__in=urls)
    open_urls = set(is_open.values_list("url", flat=True)) if urls else set()
    return [one for one in robots_files if one.request.url not in open_urls]


def let_anybody() -> None:
    """A client waits no longer for somebody better than that; a check has to."""
    frontier.let_anybody(waiting_since=timezone.now() - OTHERS_PATIENCE, but_not_for=PURPOSE)


def give_up_late_checks() -> None:
    """Take copies that nobody can fetch out of the queue: everybody who could may have left."""
    late = Check.objects.filter(state=CheckState.WAITING, asked_at__lt=timezone.now() - PATIENCE)
    for check in late.order_by("asked_at")[:200]:
        give_up(check)


def give_up(check: Check) -> None:
    waiting = _request_of(check)
    if waiting:
        leases.complete(completion=Completion(uuid.uuid4(), uuid.uuid4(), list(waiting), [], []))
    Check.objects.filter(pk=check.pk, state=CheckState.WAITING).update(
        state=CheckState.GIVEN_UP, mark=Mark.UNCLEAR.value, decided_at=timezone.now()
    )


def _request_of(check: Check) -> QuerySet[Request, int]:
    host = Host.objects.filter(name=check.host).values("pk")
    waiting = Request.objects.filter(host_id__in=host, copy=f"{PURPOSE}-{check.pk}")
    return waiting.values_list("pk", flat=True)


register_purpose(PURPOSE, _hear)
