"""API of nodes: what a node says to the server, and what its contributor may look at."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Query, Router, Schema
from pydantic import StringConstraints

from ronda.accounts.authentication import actor_of
from ronda.grid import queries, services
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


class Asking(Schema):
    node_id: uuid.UUID


class Work(Schema):
    """What to do now. Without a block: nothing, and when to ask again."""

    come_back_seconds: float


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
    return {"node_id": node.pk}


@router.post("/grid/lease", response=Work, summary="A node asks for work (contributors)")
def lease(request: HttpRequest, payload: Asking) -> dict[str, Any]:
    return {"come_back_seconds": services.ask_for_work(actor=actor_of(request), node_id=payload.node_id)}


@router.get("/nodes", response=PageOf[NodeOut], summary="My nodes; everybody's for an administrator")
def list_nodes(request: HttpRequest, wanted: Query[PageRequest]) -> Any:
    fields = {name: name for name in ("name", "registered_at", "seen_at")}
    return paginate(queries.nodes(actor=actor_of(request)), wanted, sortable=fields, default="name")
