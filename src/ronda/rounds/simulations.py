"""Predictors compared on a trace by a job: of a collection's own visits, of a file somebody brought, or made up."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop
from pydantic import Field

from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.archive.collections import collection_wanted
from ronda.archive.queries import READERS
from ronda.errors import InvalidInput
from ronda.jobs.kinds import Arguments, JobKind, register
from ronda.jobs.run import JobRun
from ronda.jobs.services import enqueue
from ronda.prediction import scenarios
from ronda.prediction.comparison import FIXED_DAYS, objective_of
from ronda.prediction.contract import DAY, Terms
from ronda.prediction.errors import BadTerms
from ronda.prediction.reading import parse_trace
from ronda.prediction.simulator import Way
from ronda.prediction.traces import Trace, course_of
from ronda.rounds import comparing, tracing
from ronda.rounds.errors import NoSuchSimulation
from ronda.rounds.models import Simulation, Source
from ronda.rounds.predictor_names import AUTO, PREDICTORS, checked

PROGRESS = gettext_noop("{done:,} of {total:,} ways to visit")
KEPT_DAYS = 90
MOST_OF_A_PERSON = 100
MOST_TRACE_BYTES = 8 * 1024**2
MOST_PREDICTORS = 20
# A worker is busy for a minute or two with that many.
MOST_SOURCE_DAYS = 2_000_000


@dataclass(frozen=True)
class Scenario:
    """A web to make up."""

    name: str
    sources: int = 100
    days: int = 365
    seed: int = 1


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """One of `trace` (CSV), `collection` (its short name) and `scenario`.

    `visits_per_day`: of a source, if there is a budget.
    """

    trace: str = ""
    collection: str = ""
    scenario: Scenario | None = None
    predictors: Sequence[str] = PREDICTORS
    objective: str = "versions"
    visits_per_day: float | None = None
    title: str = ""


def start(*, actor: Person | None, wanted: Wanted) -> Simulation:
    """A trace that cannot be read is refused at once, with its line."""
    person = require(actor, *READERS)
    _check(wanted)
    made = Simulation(
        owner=person,
        title=(wanted.title.strip() or _title(wanted))[:200],
        trace=wanted.trace,
        predictors=list(wanted.predictors),
        objective=wanted.objective,
        visits_per_day=wanted.visits_per_day,
    )
    if wanted.scenario:
        made.scenario = asdict(wanted.scenario)
    elif wanted.collection:
        made.collection = collection_wanted(actor=person, slug=wanted.collection)
    with transaction.atomic():
        made.save()
        made.job = enqueue(kind=SIMULATE, owner=person, arguments={"simulation_id": made.pk})
        made.save(update_fields=["job"])
        older = Simulation.objects.filter(owner=person).order_by("-created_at")[MOST_OF_A_PERSON:]
        Simulation.objects.filter(pk__in=[one.pk for one in older]).delete()
    return made


def _check(wanted: Wanted) -> None:
    if sum(map(bool, (wanted.trace, wanted.collection, wanted.scenario))) != 1:
        raise InvalidInput("Choose one: a collection, a file or a scenario.", field="trace")
    _check_objective(wanted.objective)
    if not 1 <= len(wanted.predictors) <= MOST_PREDICTORS:
        raise InvalidInput("Choose 1 to 20 predictors.", field="predictors")
    for name in wanted.predictors:
        if checked(name) in ("", AUTO):
            raise InvalidInput("Name predictors: auto is none of them.", field="predictors")
    if wanted.visits_per_day is not None and not 0 < wanted.visits_per_day <= 24:
        raise InvalidInput("Give up to 24 visits a day.", field="visits_per_day")
    if len(wanted.trace.encode()) > MOST_TRACE_BYTES:
        raise InvalidInput(
            "A trace has at most 8 MiB here; `ronda simulate` takes larger ones.", field="trace"
        )
    if wanted.trace:
        parse_trace(wanted.trace.splitlines(), in_any_order=True)
    if wanted.scenario:
        _check_scenario(wanted.scenario)


def _check_objective(text: str) -> None:
    try:
        objective_of(text)
    except BadTerms as error:
        raise InvalidInput(str(error), field="objective") from None


def _check_scenario(scenario: Scenario) -> None:
    if scenario.name not in scenarios.SCENARIOS:
        raise InvalidInput("There is no such scenario.", field="scenario")
    is_small = scenario.sources > 0 and scenario.days > 0
    if not is_small or scenario.sources * scenario.days > MOST_SOURCE_DAYS:
        raise InvalidInput(
            "Sources times days may be up to 2,000,000 here; `ronda simulate` takes more.", field="sources"
        )


def _title(wanted: Wanted) -> str:
    if wanted.scenario:
        return f"{wanted.scenario.name}, {wanted.scenario.sources} × {wanted.scenario.days} d"
    return wanted.collection or "trace.csv"


def simulations(*, actor: Person | None) -> QuerySet[Simulation]:
    """One's own."""
    return Simulation.objects.filter(owner=require(actor, *READERS)).select_related("job", "collection")


def simulation_seen(*, actor: Person | None, simulation_id: uuid.UUID) -> Simulation:
    found = simulations(actor=actor).filter(pk=simulation_id).first()
    if found is None:
        raise NoSuchSimulation()
    return found


class SimulateArguments(Arguments):
    simulation_id: Annotated[uuid.UUID, Field(title=gettext_noop("Simulation"))]


def _work(run: JobRun, arguments: SimulateArguments) -> dict[str, Any] | None:
    simulation = Simulation.objects.filter(pk=arguments.simulation_id).first()
    if simulation is None:
        return None  # forgotten meanwhile
    trace = _trace(simulation)
    if trace is None:
        raise InvalidInput("None of its sources was seen to change yet: there is nothing to simulate.")
    course = course_of(trace, end=_end(simulation))
    terms = Terms(objective=objective_of(simulation.objective), visits_per_day=simulation.visits_per_day)
    way = Way(visits_per_day=simulation.visits_per_day)
    rows, total = [], len(simulation.predictors) + len(FIXED_DAYS)
    # Fixed frequencies are what they are: a budget is not asked for them.
    plans = [(name, way) for name in simulation.predictors] + [(n, Way()) for n in comparing.fixed_names()]
    for name, how in plans:
        rows += list(comparing.rows_of(course, [name], terms, how))
        run.progress(len(rows), total, PROGRESS)
    simulation.result = {
        "sources": len(course.names),
        "days": (course.end - course.start) / DAY,
        "rows": [row.as_dict() for row in rows[: len(simulation.predictors)]],
        "fixed": [row.as_dict() for row in rows[len(simulation.predictors) :]],
    }
    simulation.save(update_fields=["result"])
    return {"changes": rows[0].changes}


def _trace(simulation: Simulation) -> Trace | None:
    if simulation.trace:
        return parse_trace(simulation.trace.splitlines(), in_any_order=True)
    if simulation.scenario:
        given = dict(simulation.scenario)
        return scenarios.make(given.pop("name"), **given)
    sources = Source.objects.filter(collection=simulation.collection_id, record__changes__gt=0)
    return tracing.trace_of(tracing.changes_of_sources(list(sources.order_by("pk"))))


def _end(simulation: Simulation) -> float | None:
    """A made-up web is quiet at its end, too."""
    return scenarios.START + simulation.scenario["days"] * DAY if simulation.scenario else None


def forget_old(now: datetime) -> None:
    Simulation.objects.filter(created_at__lt=now - timedelta(days=KEPT_DAYS)).delete()


SIMULATE = register(
    JobKind(
        name="simulate",
        title=_("Compare predictors on a trace"),
        arguments=SimulateArguments,
        role=Role.ADMINISTRATOR,
        work=_work,
    )
)
