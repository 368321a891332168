"""API of nodes: what a node says to the server, and what its contributor may look at."""

from __future__ import annotations

import shutil
import uuid
from datetime import datetime
from tempfile import TemporaryFile
from typing import Annotated, Any

from django.conf import settings
from django.http import HttpRequest
from ninja import Field, Query, Router, Schema
from pydantic import StringConstraints

from ronda import __version__
from ronda.accounts.authentication import actor_of
from ronda.frontier.blocks import LeasedHost
from ronda.grid import queries, services
from ronda.grid.answers import take_upload
from ronda.grid.leasing import ROBOTS_PREFIX, lease_block
from ronda.http.paging import PageOf, PageRequest, paginate

router = Router(tags=["Grid"])

Name = Annotated[str, StringConstraints(min_length=1, max_length=80, pattern=r"^[^\x00]*$")]
Version = Annotated[str, StringConstraints(max_length=40, pattern=r"^[^\x00]*$")]
System = Annotated[str, StringConstraints(max_length=120, pattern=r"^[^\x00]*$")]


class Registration(Schema):
    name: Name
    version: Version
    system: System = ""


class Registered(Schema):
    node_id: uuid.UUID
    user_agent: str
    allow_private_networks: bool


class Asking(Schema):
    node_id: uuid.UUID
    slots: Annotated[int, Field(ge=1, le=256, description="Hosts it asks at a time.")] = 16


class RequestOut(Schema):
    id: str
    url: str


class HostOut(Schema):
    name: str
    delay_seconds: float
    requests: list[RequestOut]


class WorkOut(Schema):
    """What to do now. Without hosts: nothing, and when to ask again."""

    block: uuid.UUID
    lease_seconds: float
    come_back_seconds: float
    hosts: list[HostOut]


class Accepted(Schema):
    accepted: int


class NodeOut(Schema):
    id: uuid.UUID
    name: str
    version: str
    system: str
    is_present: bool
    registered_at: datetime
    seen_at: datetime


@router.post("/grid/register", response=Registered, summary="A node makes itself known (contributors)")
def register(request: HttpRequest, payload: Registration) -> dict[str, Any]:
    node = services.register_node(
        actor=actor_of(request), name=payload.name, version=payload.version, system=payload.system
    )
    return {
        "node_id": node.pk,
        "user_agent": f"RondaBot/{__version__} (+{settings.RONDA.console_url}/)",
        "allow_private_networks": settings.RONDA.allow_private_networks,
    }


@router.post("/grid/lease", response=WorkOut, summary="A node asks for work (contributors)")
def lease(request: HttpRequest, payload: Asking) -> dict[str, Any]:
    work = lease_block(actor=actor_of(request), node_id=payload.node_id, slots=payload.slots)
    return {
        "block": work.block,
        "lease_seconds": work.lease_seconds,
        "come_back_seconds": work.come_back_seconds,
        "hosts": [_shown(host) for host in work.hosts],
    }


def _shown(host: LeasedHost) -> dict[str, Any]:
    robots_id = f"{ROBOTS_PREFIX}{host.host_id}"
    return {
        "name": host.name,
        "delay_seconds": host.delay_seconds,
        "requests": [{"id": robots_id if r.id is None else str(r.id), "url": r.url} for r in host.requests],
    }


@router.put(
    "/grid/blocks/{uuid:block}", response=Accepted, summary="A node brings its answers (contributors)"
)
def upload(request: HttpRequest, block: uuid.UUID, node_id: uuid.UUID) -> dict[str, Any]:
    """The body is application/warc: one gzip member per record, as the node wrote it."""
    with TemporaryFile() as body:
        shutil.copyfileobj(request, body, 1024 * 1024)
        body.seek(0)
        taken = take_upload(actor=actor_of(request), node_id=node_id, block=block, upload=body)
    return {"accepted": taken.accepted}


@router.get("/nodes", response=PageOf[NodeOut], summary="My nodes; everybody's for an administrator")
def list_nodes(request: HttpRequest, wanted: Query[PageRequest]) -> Any:
    fields = {name: name for name in ("name", "registered_at", "seen_at")}
    return paginate(queries.nodes(actor=actor_of(request)), wanted, sortable=fields, default="name")
