"""Answers that turned out to be wrong: taken back before the client's eyes, and fetched again.

A reader of results goes on behind the last id it has had. So an answer is never just changed: a notice behind it says
which one no longer counts, and the new answer follows when it is there.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from django.db import transaction
from django.db.models import F

from ronda.archive.models import Capture
from ronda.frontier import services as frontier
from ronda.frontier.blocks import Wanted
from ronda.frontier.models import Batch
from ronda.grid import listening
from ronda.grid.listening import Replaced, Voided
from ronda.grid.models import FROM_ARCHIVE, AnswerState, Fetch, FetchAnswer, Node
from ronda_node.policy import ANYWHERE
from ronda_node.urls import canonicalise

# What a node can have made up: its answers, and refusals by rules that it told.
COUNTING = (AnswerState.FETCHED, AnswerState.FAILED, AnswerState.REFUSED)
# What the archive answered cost nothing: nor does fetching it after all.
FREE = "free-"
PIECE = 1000


def void_answers_of(
    *, node: Node, after: int, captures_after: int = 0, reason: str, not_owners: tuple[int, ...]
) -> int:
    """What a node answered behind the id `after`, a thousand at a time: call until it is 0.

    Answers from the archive were given when their captures were made, behind `captures_after`. All of it is fetched
    again, by nodes of others if `not_owners` says so.
    """
    count = 0
    mine = FetchAnswer.objects.filter(node=node, pk__gt=after, state__in=COUNTING)
    mine = mine.exclude(reason=FROM_ARCHIVE, capture_id__lte=captures_after)
    piece = mine.order_by("fetch_id", "pk").values_list("fetch_id", "pk")[:PIECE]
    for _fetch, group in groupby(piece, key=lambda row: row[0]):
        wanted = FetchAnswer.objects.filter(pk__in=[pk for _, pk in group], state__in=COUNTING)
        with transaction.atomic():
            answers = list(wanted.select_related("fetch__batch").select_for_update(of=("self",)))
            if answers:
                _void_and_ask_again(node, answers, reason, not_owners)
        count += len(answers)
    return count


def _void_and_ask_again(
    node: Node, answers: Sequence[FetchAnswer], reason: str, not_owners: tuple[int, ...]
) -> None:
    """Queued first: rows are locked in the frontier's order, and under the batch's lock ids grow as they are seen."""
    batch = answers[0].fetch.batch
    frontier.put_requests(batch=batch, wanted=[_again(answer, not_owners) for answer in answers])
    # The same URLs as before: they were counted once.
    Batch.objects.filter(pk=batch.pk).update(total=F("total") - len(answers), ended=F("ended") - len(answers))
    _take_back(answers, reason)
    listening.tell_voided(Voided(node, answers[0].fetch, answers))


def _again(answer: FetchAnswer, not_owners: tuple[int, ...]) -> Wanted:
    url = canonicalise(answer.url, ANYWHERE)
    return Wanted(
        url.text,
        url.authority,
        url.scheme,
        copy=f"{FREE if answer.is_from_archive else 'again-'}{answer.pk}",
        country=answer.country if answer.fetch.vantage else "",
        not_owners=not_owners,
    )


def ask_again(*, answer: FetchAnswer, reason: str) -> None:
    """One answer is wrong, and nobody knows the right one yet."""
    if answer.node:
        with transaction.atomic():
            found = list(
                FetchAnswer.objects.filter(pk=answer.pk, state__in=COUNTING)
                .select_related("fetch__batch")
                .select_for_update(of=("self",))
            )
            if found:
                _void_and_ask_again(answer.node, found, reason, ())


def replace_answer(*, answer: FetchAnswer, capture: Capture, node: Node | None, reason: str) -> None:
    """One answer is wrong, and the right one is known."""
    with transaction.atomic():
        Batch.objects.select_for_update().get(pk=answer.fetch.batch_id)
        if not FetchAnswer.objects.filter(pk=answer.pk, state__in=COUNTING).exists():
            return
        _take_back([answer], reason)
        instead = FetchAnswer.objects.create(
            fetch=answer.fetch,
            url=answer.url,
            state=AnswerState.FETCHED,
            status=capture.status,
            reason="fetched again elsewhere",
            capture=capture,
            node=node,
            country=answer.country if answer.fetch.vantage or node is None else node.country,
        )
        if answer.node:
            listening.tell_voided(Voided(answer.node, answer.fetch, [answer]))
        if node:
            listening.tell_replaced(Replaced(node, answer, instead))


def doubt_answer(*, answer: FetchAnswer, because: str) -> None:
    """It stands, and its client is told why it may be wrong. Empty: no longer."""
    FetchAnswer.objects.filter(pk=answer.pk, state__in=COUNTING).update(doubt=because)


def _take_back(answers: Sequence[FetchAnswer], reason: str) -> None:
    """Answers of one fetch."""
    if refused := sum(answer.state == AnswerState.REFUSED for answer in answers):
        Fetch.objects.filter(pk=answers[0].fetch_id).update(refused=F("refused") - refused)
    FetchAnswer.objects.filter(pk__in=[answer.pk for answer in answers]).update(
        state=AnswerState.VOID, reason=reason
    )
    FetchAnswer.objects.bulk_create(
        FetchAnswer(
            fetch_id=answer.fetch_id, url=answer.url, state=AnswerState.VOID, reason=reason, voids=answer
        )
        for answer in answers
    )
    _compare_again(answers)


def _compare_again(answers: Sequence[FetchAnswer]) -> None:
    """What was said of a URL's answers from several countries no longer holds: it is said anew once all are there."""
    fetch = answers[0].fetch
    if len(fetch.vantage) > 1:
        fetch.comparisons.filter(url__in=[answer.url for answer in answers]).delete()
        Fetch.objects.filter(pk=fetch.pk).update(is_to_be_compared=True)
