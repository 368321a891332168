"""Sources that leave the choice to Ronda get the predictor that did best on their own history, found anew monthly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from ronda.accounts.roles import Role
from ronda.jobs.kinds import Arguments, JobKind, register
from ronda.jobs.models import OPEN_STATES, Job
from ronda.jobs.run import JobRun
from ronda.jobs.services import enqueue
from ronda.policies.queries import value_of
from ronda.prediction.traces import Course, course_of
from ronda.rounds import planning, tracing, verdicts
from ronda.rounds.models import PredictorChoice, Source, SourceState, TrackRecord
from ronda.rounds.observing import History, history_of
from ronda.rounds.policies import DEFAULT_PREDICTOR, in_the_loop
from ronda.rounds.predictor_names import AUTO, CANDIDATES, DEFAULT
from ronda.rounds.verdicts import Trial

PROGRESS = gettext_noop("{done:,} of {total:,} sources")
REVISED_DAYS = 30
# Tried together: a predictor goes through the histories of many sources nearly as fast as through that of one.
SOURCES_A_PIECE = 100


class BackTestArguments(Arguments):
    """It takes nothing: all sources whose turn it is."""


def start_due() -> None:
    """One job at a time, when a source's turn has come."""
    if due(timezone.now()).exists() and not Job.objects.filter(kind=KIND, state__in=OPEN_STATES).exists():
        enqueue(kind=BACK_TEST, owner=None, arguments={})


def due(now: datetime) -> QuerySet[Source]:
    """Those that left the choice to Ronda, have changed often enough, and were not tried this month."""
    is_tried_lately = Q(record__back_tested_at__gt=now - timedelta(days=REVISED_DAYS))
    return (
        Source.objects.filter(_leaves_it_to_us(), state=SourceState.ACTIVE)
        .filter(record__changes__gte=verdicts.LEAST_CHANGES, record__observed_days__gte=verdicts.LEAST_DAYS)
        .exclude(is_tried_lately)
        .order_by(F("record__back_tested_at").asc(nulls_first=True), "pk")
    )


def _leaves_it_to_us() -> Q:
    """As `choosing` has it: the source's own word, else its topic's, its collection's, the settings'."""
    topics = dict(PredictorChoice.objects.filter(topic__isnull=False).values_list("topic", "predictor"))
    places = dict(
        PredictorChoice.objects.filter(collection__isnull=False).values_list("collection", "predictor")
    )
    by_topic = Q(topic__in=[key for key, name in topics.items() if name == AUTO])
    of_no_topic = Q(topic=None) | ~Q(topic__in=list(topics))
    by_place = Q(collection__in=[key for key, name in places.items() if name == AUTO])
    if value_of(DEFAULT_PREDICTOR) == AUTO:
        by_place |= ~Q(collection__in=list(places))
    return Q(predictor=AUTO) | Q(predictor="") & (by_topic | of_no_topic & by_place)


def _work(run: JobRun, arguments: BackTestArguments) -> dict[str, Any]:
    began = timezone.now()
    total, done = due(began).count(), 0
    while piece := list(due(began)[:SOURCES_A_PIECE]):
        try_on(piece, began)
        done += len(piece)
        run.progress(done, max(total, done), PROGRESS)
    return {"sources": done}


def try_on(sources: Sequence[Source], now: datetime) -> None:
    """What every predictor would have done with each of them; the best is remembered."""
    by_name = {str(source.pk): source for source in sources}
    found = trials_of({name: history_of(source) for name, source in by_name.items()})
    for name, source in by_name.items():
        trials = found.get(name, [])
        TrackRecord.objects.filter(pk=source.pk).update(
            back_tested_at=now,
            back_test=[trial.as_dict() for trial in trials],
            best_predictor=verdicts.best(trials, DEFAULT) if trials else "",
        )


def trials_of(histories: dict[str, History]) -> dict[str, list[Trial]]:
    """By name of the source; those with too little to go by are not there."""
    course = _course(histories)
    if course is None:
        return {}
    names = [in_the_loop(name) for name in CANDIDATES]
    by_predictor = dict(zip(CANDIDATES, verdicts.trials(course, names, planning.terms()), strict=True))
    return {
        source: [replace(each[number], predictor=name) for name, each in by_predictor.items()]
        for number, source in enumerate(course.names)
    }


def _course(histories: dict[str, History]) -> Course | None:
    enough = {
        name: history
        for name, history in histories.items()
        if history.looks and verdicts.is_enough(len(history.changes), history.days)
    }
    trace = tracing.trace_of(
        change for name, history in enough.items() for change in tracing.changes_of(name, history, {})
    )
    if trace is None:
        return None
    return course_of(trace, end=max(history.looks[-1].at.timestamp() for history in enough.values()))


KIND = "back_test"
BACK_TEST = register(
    JobKind(
        name=KIND,
        title=_("Find the best predictor of each source"),
        arguments=BackTestArguments,
        role=Role.DIRECTOR,
        work=_work,
    )
)
