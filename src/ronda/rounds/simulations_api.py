"""API of simulations: predictors compared on a trace."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Field, Query, Router, Schema, Status
from pydantic import StringConstraints

from ronda.accounts.authentication import actor_of
from ronda.http.inputs import Input, ShortText
from ronda.http.paging import PageOf, PageRequest, paginate
from ronda.jobs.models import State
from ronda.rounds import simulations
from ronda.rounds.models import Simulation
from ronda.rounds.predictor_names import PREDICTORS
from ronda.rounds.simulations import Scenario
from ronda.rounds.sources_shapes import PredictorName, Slug

router = Router(tags=["Prediction"])

Csv = Annotated[str, StringConstraints(max_length=simulations.MOST_TRACE_BYTES, pattern=r"^[^\x00]*$")]


class ScenarioIn(Input):
    name: ShortText
    sources: Annotated[int, Field(ge=1, le=simulations.MOST_SOURCE_DAYS)] = 100
    days: Annotated[int, Field(ge=1, le=36_500)] = 365
    seed: Annotated[int, Field(ge=0, le=2**31)] = 1


class SimulationIn(Input):
    """One of `trace` (CSV: source,changed_at, maybe size_bytes, content_id, notified_at), `collection`, `scenario`."""

    trace: Csv = ""
    collection: Slug | None = None
    scenario: ScenarioIn | None = None
    predictors: Annotated[list[PredictorName], Field(max_length=simulations.MOST_PREDICTORS)] = Field(
        default_factory=lambda: list(PREDICTORS)
    )
    objective: Annotated[ShortText, Field(description="versions, freshness, or 0 to 1.")] = "versions"
    visits_per_day: Annotated[
        float | None, Field(gt=0, le=24, description="Of a source; none: no budget.")
    ] = None
    title: ShortText = ""


class RowOut(Schema):
    """What one way to visit would have come to. `frequency`: visits a source and day."""

    predictor: str
    visits: int
    changes: int
    captured: int
    lost: int
    needless: int
    bytes_stored: float | None
    copies_bytes: float | None
    freshness: float
    mean_delay_hours: float | None
    frequency: float
    log_loss: float | None


class ResultOut(Schema):
    sources: int
    days: float
    rows: list[RowOut]
    fixed: Annotated[list[RowOut], Field(description="Every 1 to 30 days.")]


class SimulationOut(Schema):
    id: uuid.UUID
    title: str
    created_at: datetime
    state: State | None
    error: str
    predictors: list[str]
    objective: str
    visits_per_day: float | None
    result: ResultOut | None


@router.get("/simulations", response=PageOf[SimulationOut], summary="My simulations, newest first")
def list_simulations(request: HttpRequest, wanted: Query[PageRequest]) -> Any:
    found = simulations.simulations(actor=actor_of(request))
    page = paginate(found, wanted, sortable={"created_at": "created_at"}, default="-created_at")
    return {**vars(page), "items": [shown(one) for one in page.items]}


@router.post("/simulations", response={202: SimulationOut}, summary="Compare predictors on a trace")
def start_simulation(request: HttpRequest, payload: SimulationIn) -> Status[dict[str, Any]]:
    given = payload.dict(exclude={"scenario", "collection"})
    wanted = simulations.Wanted(
        **given,
        collection=payload.collection or "",
        scenario=Scenario(**payload.scenario.dict()) if payload.scenario else None,
    )
    return Status(202, shown(simulations.start(actor=actor_of(request), wanted=wanted)))


@router.get("/simulations/{uuid:simulation_id}", response=SimulationOut, summary="One simulation")
def show_simulation(request: HttpRequest, simulation_id: uuid.UUID) -> dict[str, Any]:
    return shown(simulations.simulation_seen(actor=actor_of(request), simulation_id=simulation_id))


def shown(simulation: Simulation) -> dict[str, Any]:
    names = ("id", "title", "created_at", "predictors", "objective", "visits_per_day", "result")
    return {
        **{name: getattr(simulation, name) for name in names},
        "state": simulation.job.state if simulation.job else None,
        "error": simulation.job.error if simulation.job else "",
    }
