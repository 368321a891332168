"""API of jobs, and the status route of the wiki document."""

from __future__ import annotations

import uuid
from datetime import datetime
from operator import itemgetter
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Field, Query, Router, Schema, Status

from ronda.accounts.authentication import actor_of
from ronda.accounts.roles import Role
from ronda.http.inputs import Input, ShortText
from ronda.http.paging import PageOf, PageRequest, paginate, paginate_list
from ronda.jobs import queries, services
from ronda.jobs.kinds import JobKind, all_kinds
from ronda.jobs.models import Job, State

router = Router(tags=["Jobs"])

IdStart = Annotated[
    str, Query(max_length=36, pattern=r"^[0-9a-fA-F-]*$", description="How the job's id begins.")
]

# The wiki document's words for a task's state.
DOCUMENT_STATES = {
    State.QUEUED: "PENDING",
    State.RUNNING: "IN PROGRESS",
    State.SUCCEEDED: "SUCCESS",
    State.FAILED: "FAILURE",
    State.CANCELLED: "REVOKED",
}


class JobOut(Schema):
    id: uuid.UUID
    kind: str
    owner: str | None
    arguments: dict[str, Any]
    state: State
    is_cancelling: bool
    done: int
    total: int | None
    sentence: str
    result: dict[str, Any] | None
    error: str
    attempt: int
    worker: str
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None

    @staticmethod
    def resolve_sentence(job: Job) -> str:
        return job.progress

    @staticmethod
    def resolve_owner(job: Job) -> str | None:
        return job.owner.email if job.owner else None


class JobIn(Input):
    kind: ShortText
    arguments: dict[str, Any] = Field(default_factory=dict)


class KindOut(Schema):
    name: str
    title: str
    role: Role
    arguments: dict[str, Any]


class StatusOut(Schema):
    state: str
    status: str
    result: dict[str, Any] | None = None


@router.get("/jobs", response=PageOf[JobOut], summary="My jobs; everybody's for an administrator")
def list_jobs(
    request: HttpRequest,
    wanted: Query[PageRequest],
    state: State | None = None,
    kind: ShortText = "",
    id_start: IdStart = "",
    with_routine: bool = True,
) -> Any:
    fields = {name: name for name in ("created_at", "started_at", "ended_at", "kind", "state")}
    jobs = queries.jobs(
        actor=actor_of(request), state=state, kind=kind, id_start=id_start, is_routine_hidden=not with_routine
    )
    return paginate(jobs, wanted, sortable=fields, default="-created_at")


@router.post("/jobs", response={202: JobOut}, summary="Start a job")
def start_job(request: HttpRequest, payload: JobIn) -> Status[Job]:
    job = services.start_job(actor=actor_of(request), kind=payload.kind, arguments=payload.arguments)
    return Status(202, job)


@router.get(
    "/jobs/kinds", response=PageOf[KindOut], summary="What kinds of jobs there are and what they take"
)
def list_kinds(request: HttpRequest, wanted: Query[PageRequest]) -> Any:
    sortable = {name: itemgetter(name) for name in ("name", "title", "role")}
    return paginate_list([_shown(kind) for kind in all_kinds()], wanted, sortable=sortable, default="name")


def _shown(kind: JobKind) -> dict[str, Any]:
    schema = kind.arguments.model_json_schema()
    return {"name": kind.name, "title": str(kind.title), "role": kind.role, "arguments": schema}


@router.get("/jobs/{uuid:job_id}", response=JobOut, summary="One job")
def show_job(request: HttpRequest, job_id: uuid.UUID) -> Job:
    return queries.job(actor=actor_of(request), job_id=job_id)


@router.delete("/jobs/{uuid:job_id}", response={202: JobOut}, summary="Cancel a job")
def cancel_job(request: HttpRequest, job_id: uuid.UUID) -> Status[Job]:
    return Status(202, services.cancel_job(actor=actor_of(request), job_id=job_id))


@router.get(
    "/status/{uuid:job_id}", response=StatusOut, exclude_none=True, summary="A job's state in two words"
)
def show_status(request: HttpRequest, job_id: uuid.UUID, name: ShortText = "") -> dict[str, Any]:
    """As the wiki document has it; `name` is taken for its sake and means nothing here."""
    job = queries.job(actor=actor_of(request), job_id=job_id)
    words = job.error if job.state == State.FAILED else job.progress
    return {"state": DOCUMENT_STATES[State(job.state)], "status": words, "result": job.result}
