"""Comparing what several countries got: a job of its own once all answers are there, as reading them takes a while."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from itertools import groupby, islice
from typing import Annotated, Any
from urllib.parse import urljoin

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop
from pydantic import Field

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.archive.models import Capture
from ronda.archive.payload import payload_of
from ronda.archive.reading import AROUND_BYTES, record_with, response_field, response_record
from ronda.frontier.models import Batch
from ronda.grid import fetches
from ronda.grid.comparing import Outcome, Rung, Seen, Verdict, compare
from ronda.grid.models import AnswerState, Comparison, Fetch, FetchAnswer
from ronda.jobs.kinds import Arguments, JobKind, register
from ronda.jobs.run import JobRun
from ronda.jobs.services import enqueue

PROGRESS = gettext_noop("{done:,} of {total:,} URLs")
MOST_BYTES = 1024 * 1024
PIECE = 100


class CompareArguments(Arguments):
    fetch_id: Annotated[uuid.UUID, Field(title=gettext_noop("Fetch"))]


def start_comparisons() -> None:
    """Fetches that are done and were to be compared: once, and again for answers that were replaced later."""
    for fetch in Fetch.objects.filter(is_to_be_compared=True).select_related("batch", "owner"):
        if fetch.is_done:
            with transaction.atomic():
                if Fetch.objects.filter(pk=fetch.pk, is_to_be_compared=True).update(is_to_be_compared=False):
                    enqueue(kind=COMPARE, owner=fetch.owner, arguments={"fetch_id": str(fetch.pk)})


def compare_all(answers: Sequence[FetchAnswer]) -> Verdict:
    """The answers to one URL, each with the first: a difference counts more than a doubt, a doubt more than a match."""
    seen = [_seen(answer) for answer in answers]
    verdicts = [compare(seen[0], other) for other in seen[1:]]
    for outcome in (Outcome.DIFFER, Outcome.INCONCLUSIVE):
        if found := next((verdict for verdict in verdicts if verdict.outcome == outcome), None):
            return found
    return verdicts[0] if verdicts else Verdict(Outcome.INCONCLUSIVE, Rung.ANSWER)


def _seen(answer: FetchAnswer) -> Seen:
    capture = answer.capture
    if capture is None:
        return Seen(status=0)
    return Seen(
        status=capture.status,
        location=_location(capture),
        mime=capture.mime,
        payload_digest=capture.digest,
        load=lambda: payload_of(record_with(capture, MOST_BYTES), MOST_BYTES),
        is_truncated=bool(capture.truncated),
    )


def _location(capture: Capture) -> str:
    """Where it led in the end: redirects to another host are not followed, only told."""
    if not 300 <= capture.status < 400:
        return capture.url
    return urljoin(capture.url, response_field(response_record(capture, AROUND_BYTES), b"location"))


def _compare(run: JobRun, arguments: CompareArguments) -> dict[str, Any]:
    owner = Person.objects.filter(pk=run.owner_id).first() if run.owner_id else None
    fetch = fetches.fetch(actor=owner, fetch_id=arguments.fetch_id)
    checkpoint = run.last_checkpoint or {"url": "", "done": 0}
    done = int(checkpoint["done"])
    left = _not_compared(fetch).filter(url__gt=checkpoint["url"])
    total = done + left.values("url").distinct().count()
    found = left.order_by("url", "country").select_related("capture__file").iterator(PIECE)
    by_url = groupby(found, key=lambda answer: answer.url)
    while piece := {url: list(group) for url, group in islice(by_url, PIECE)}:
        done += len(piece)
        compared = [_compared(fetch, url, answers) for url, answers in piece.items()]
        with transaction.atomic():
            _keep(fetch, compared, [answer.pk for answers in piece.values() for answer in answers])
            run.checkpoint({"url": compared[-1].url, "done": done})
        run.progress(done, total, PROGRESS)
    return {"urls": done}


def _not_compared(fetch: Fetch) -> QuerySet[FetchAnswer]:
    compared = Comparison.objects.filter(fetch=fetch, url=OuterRef("url"))
    return fetch.counting_answers.exclude(country="").exclude(Exists(compared))


def _keep(fetch: Fetch, compared: list[Comparison], answers: list[int]) -> None:
    """Without what was taken back while it was read; who did that has asked for another comparison."""
    Batch.objects.select_for_update(no_key=True).get(pk=fetch.batch_id)
    gone = set(
        FetchAnswer.objects.filter(pk__in=answers, state=AnswerState.VOID).values_list("url", flat=True)
    )
    Comparison.objects.bulk_create([one for one in compared if one.url not in gone], ignore_conflicts=True)


def _compared(fetch: Fetch, url: str, answers: list[FetchAnswer]) -> Comparison:
    verdict = compare_all(answers)
    return Comparison(
        fetch=fetch,
        url=url,
        outcome=verdict.outcome.value,
        rung=verdict.rung.value,
        similarity=verdict.similarity,
    )


COMPARE = register(
    JobKind(
        name="compare_vantages",
        title=_("Compare what several countries got"),
        arguments=CompareArguments,
        role=Role.CLIENT,
        work=_compare,
    )
)
