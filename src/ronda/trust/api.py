"""API of trust: a node's score, the quarantine, and clients' reports of wrong answers."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Field, Query, Router, Schema, Status
from pydantic import StringConstraints

from ronda.accounts.authentication import actor_of
from ronda.http.inputs import ShortText
from ronda.http.paging import PageOf, PageRequest, paginate
from ronda.trust import queries, services
from ronda.trust.models import Check
from ronda.trust.queries import NodeTrust, TrustOverview

router = Router(tags=["Grid"])
reports_router = Router(tags=["Fetches"])


class IncidentOut(Schema):
    kind: str
    reason: str
    at: datetime


class NodeTrustOut(Schema):
    """`beside`: another node of the same person that is in quarantine: until that is lifted, this one gets no work."""

    state: str
    checked: int
    passed: int
    failed: int
    unclear: int
    consecutive_valid: int
    quarantined_at: datetime | None
    reason: str
    is_alone: bool
    beside: str | None
    probe_share: float
    replica_share: float
    incidents: list[IncidentOut]


class CanaryOut(Schema):
    url: str
    worked_at: datetime | None
    trouble: str


class TrustOut(Schema):
    states: dict[str, int]
    canaries: list[CanaryOut]
    checks_waiting: int


class Lifting(Schema):
    reason: ShortText = ""


class ReportIn(Schema):
    """Which answer: the newest to a URL, of a country if it was fetched from several, or the one of an id."""

    url: Annotated[str, StringConstraints(max_length=2048, pattern=r"^[^\x00]*$")] = ""
    country: Annotated[str, StringConstraints(pattern=r"^([A-Z]{2})?$")] = ""
    answer: Annotated[int | None, Field(ge=1, le=2**62, description="`id` of a line of the results.")] = None
    note: ShortText = ""


class ReportOut(Schema):
    """`outcome`: waiting, stands, replaced, unclear, or nobody else could fetch it."""

    id: int
    answer: Annotated[int, Field(description="`id` of the reported line of the results.")]
    url: str
    country: str | None
    note: str
    outcome: str
    created_at: datetime
    decided_at: datetime | None

    @staticmethod
    def resolve_answer(check: Check) -> int | None:
        return check.answer_id

    @staticmethod
    def resolve_country(check: Check) -> str | None:
        return (check.answer.country or None) if check.answer else None


@router.get("/trust", response=TrustOut, summary="How far nodes are trusted (administrators)")
def show_overview(request: HttpRequest) -> TrustOverview:
    return queries.overview(actor=actor_of(request))


@router.get(
    "/nodes/{uuid:node_id}/trust", response=NodeTrustOut, summary="How far a node is trusted, and why"
)
def show_trust(request: HttpRequest, node_id: uuid.UUID) -> dict[str, Any]:
    return _shown(queries.trust_of(actor=actor_of(request), node_id=node_id))


@router.post(
    "/nodes/{uuid:node_id}/lift-quarantine",
    response=NodeTrustOut,
    summary="Let a node out of quarantine (administrators)",
)
def lift_quarantine(request: HttpRequest, node_id: uuid.UUID, payload: Lifting) -> dict[str, Any]:
    services.lift_quarantine(actor=actor_of(request), node_id=node_id, reason=payload.reason)
    return _shown(queries.trust_of(actor=actor_of(request), node_id=node_id))


def _shown(found: NodeTrust) -> dict[str, Any]:
    names = (
        "state", "checked", "passed", "failed", "unclear", "consecutive_valid", "quarantined_at", "reason",
    )  # fmt: skip
    return {
        **{name: getattr(found.standing, name) for name in names},
        "is_alone": found.is_alone,
        "beside": found.beside.name if found.beside else None,
        "probe_share": found.probe_share,
        "replica_share": found.replica_share,
        "incidents": found.incidents,
    }


@reports_router.post(
    "/{uuid:fetch_id}/reports", response={202: ReportOut}, summary="Say that an answer is wrong (clients)"
)
def report_answer(request: HttpRequest, fetch_id: uuid.UUID, payload: ReportIn) -> Status[Check]:
    """It is fetched again by somebody else's node and compared."""
    return Status(
        202,
        services.report_answer(
            actor=actor_of(request),
            fetch_id=fetch_id,
            url=payload.url,
            country=payload.country,
            answer_id=payload.answer,
            note=payload.note,
        ),
    )


@reports_router.get(
    "/{uuid:fetch_id}/reports", response=PageOf[ReportOut], summary="What became of reported answers"
)
def list_reports(request: HttpRequest, fetch_id: uuid.UUID, wanted: Query[PageRequest]) -> Any:
    found = queries.reports(actor=actor_of(request), fetch_id=fetch_id)
    return paginate(found, wanted, sortable={"created_at": "created_at"}, default="-created_at")
