"""API of processes, for administrators."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import Query, Router, Schema, Status

from ronda.accounts.authentication import actor_of
from ronda.http.paging import PageOf, PageRequest, paginate
from ronda.supervision import queries, services
from ronda.supervision.models import Process

router = Router(tags=["System"])


class ProcessOut(Schema):
    id: uuid.UUID
    machine: str
    name: str
    role: str
    pid: int | None
    state: str
    doing: str
    restarts: int
    last_words: str
    version: str
    started_at: datetime | None
    beat_at: datetime | None
    reported_at: datetime


@router.get("", response=PageOf[ProcessOut], summary="Processes of all machines (administrators)")
def list_processes(request: HttpRequest, wanted: Query[PageRequest]) -> Any:
    fields = {name: name for name in ("machine", "name", "role", "state", "started_at", "reported_at")}
    return paginate(
        queries.processes(actor=actor_of(request)), wanted, sortable=fields, default="-reported_at"
    )


@router.post(
    "/{uuid:process_id}/restart", response={202: ProcessOut}, summary="Restart a process (administrators)"
)
def restart_process(request: HttpRequest, process_id: uuid.UUID) -> Status[Process]:
    return Status(202, services.restart_process(actor=actor_of(request), process_id=process_id))
