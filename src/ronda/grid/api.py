"""API of the grid for people: what limits it, and a contributor's nodes."""

from __future__ import annotations

import uuid
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Field, Query, Router, Schema, Status

from ronda.accounts.authentication import actor_of
from ronda.grid import minutes, overview, queries, services
from ronda.grid.models import Node
from ronda.http.paging import PageOf, PageRequest, paginate

router = Router(tags=["Grid"])


class TrustOut(Schema):
    """How far a node is believed: checks that were decided, and what they said."""

    state: str
    checked: int
    passed: int
    failed: int
    consecutive_valid: int
    reason: str


class NodeOut(Schema):
    id: uuid.UUID
    name: str
    version: str
    system: str
    country: str
    is_present: bool
    slots: int
    pending: int
    urls_per_second: float
    doing: str
    resting_because: str
    answered: int
    paused_at: datetime | None
    registered_at: datetime
    seen_at: datetime
    # Of a room above this one; none before the first check.
    trust: Annotated[TrustOut | None, Field(alias="standing")] = None


class GridOut(Schema):
    """The grid now. `ceiling` is what politeness allows, in URLs a second; `limit` is what holds it up."""

    limit: overview.Limit
    hosts_with_work: int
    hosts_due: int
    hosts_resting: int
    urls_queued: int
    nodes_present: int
    nodes_idle: int
    urls_per_second: float
    ceiling: float
    outcomes_last_hour: dict[str, int]


class PeriodName(StrEnum):
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"


class StepOut(Schema):
    at: datetime
    answered: int
    failed: int
    refused: int
    size_bytes: int


@router.get(
    "/grid/overview", response=GridOut, summary="What limits the grid (directors, contributors, clients)"
)
def show_grid(request: HttpRequest) -> dict[str, Any]:
    actor = actor_of(request)
    now = overview.grid_now(actor=actor)
    return {
        "limit": now.limit,
        "hosts_with_work": now.waiting.hosts,
        "hosts_due": now.waiting.due,
        "hosts_resting": now.waiting.resting,
        "urls_queued": now.waiting.queued,
        "nodes_present": now.nodes_present,
        "nodes_idle": now.nodes_idle,
        "urls_per_second": now.urls_per_second,
        "ceiling": now.waiting.ceiling,
        "outcomes_last_hour": dict(overview.outcomes(actor=actor)),
    }


@router.get("/nodes", response=PageOf[NodeOut], summary="My nodes; everybody's for an administrator")
def list_nodes(request: HttpRequest, wanted: Query[PageRequest]) -> Any:
    fields = {name: name for name in ("name", "registered_at", "seen_at")}
    return paginate(queries.nodes(actor=actor_of(request)), wanted, sortable=fields, default="name")


@router.post("/nodes/{uuid:node_id}/pause", response=NodeOut, summary="Give a node of mine no work for now")
def pause_node(request: HttpRequest, node_id: uuid.UUID) -> Node:
    return services.pause_node(actor=actor_of(request), node_id=node_id)


@router.post("/nodes/{uuid:node_id}/resume", response=NodeOut, summary="Give it work again")
def resume_node(request: HttpRequest, node_id: uuid.UUID) -> Node:
    return services.resume_node(actor=actor_of(request), node_id=node_id)


@router.delete(
    "/nodes/{uuid:node_id}", response={204: None}, summary="Remove a node of mine; it ends by itself"
)
def remove_node(request: HttpRequest, node_id: uuid.UUID) -> Status[None]:
    services.remove_node(actor=actor_of(request), node_id=node_id)
    return Status(204, None)


@router.get(
    "/nodes/{uuid:node_id}/steps", response=list[StepOut], summary="What a node brought, step by step"
)
def show_steps(
    request: HttpRequest, node_id: uuid.UUID, period: PeriodName = PeriodName.HOUR
) -> list[minutes.Step]:
    found = queries.node(actor=actor_of(request), node_id=node_id)
    return minutes.steps(minutes.PERIODS[period.value], node_id=found.pk)
