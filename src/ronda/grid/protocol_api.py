"""The node protocol: what a node says to the server, and what it is answered. Every call may be repeated."""

from __future__ import annotations

import shutil
import uuid
from tempfile import TemporaryFile
from typing import Annotated, Any

from django.conf import settings
from django.http import HttpRequest
from ninja import Field, Router, Schema, Status
from pydantic import StringConstraints

from ronda import __version__
from ronda.accounts.authentication import actor_of
from ronda.frontier.blocks import LeasedHost, LeasedRequest
from ronda.frontier.policies import HOSTS_PER_ADDRESS
from ronda.frontier.politeness import Pace
from ronda.grid import services
from ronda.grid.answers import take_upload
from ronda.grid.assignments import ROBOTS_PREFIX
from ronda.grid.heartbeats import take_heartbeat
from ronda.grid.leasing import Waiting, lease_block
from ronda.grid.services import NodeState
from ronda.http.hanging_up import has_hung_up
from ronda.policies.queries import value_of

router = Router(tags=["Grid"])

Name = Annotated[str, StringConstraints(min_length=1, max_length=80, pattern=r"^[^\x00]*$")]
Version = Annotated[str, StringConstraints(max_length=40, pattern=r"^[^\x00]*$")]
Sentence = Annotated[str, StringConstraints(max_length=200, pattern=r"^[^\x00]*$")]
System = Annotated[str, StringConstraints(max_length=120, pattern=r"^[^\x00]*$")]
Interrupted = Annotated[str, StringConstraints(max_length=20_000, pattern=r"^[a-z0-9,-]*$")]


class Registration(Schema):
    """Like all bodies a node sends, no Input: a newer node may say more than we understand."""

    name: Name
    version: Version
    system: System = ""
    country: Annotated[
        str | None,
        StringConstraints(max_length=2, pattern=r"^([A-Z]{2})?$"),
        Field(description="As its owner says; none: what the server thinks."),
    ] = None
    response_bytes: Annotated[
        int | None,
        Field(ge=1, le=2**62, description="Most it takes of one answer; none: as much as the server."),
    ] = None
    response_seconds: Annotated[
        float | None,
        Field(gt=0, le=1e9, allow_inf_nan=False, description="Longest it takes for one; none: the same."),
    ] = None


class Registered(Schema):
    node_id: uuid.UUID
    user_agent: str
    allow_private_networks: bool


class StateSaid(Schema):
    """What a node says of itself."""

    slots: Annotated[int, Field(ge=0, le=256, description="Hosts it asks at a time.")] = 0
    pending: Annotated[int, Field(ge=0, le=1_000_000, description="URLs it has in hand.")] = 0
    urls_per_second: Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)] = 0.0
    doing: Sentence = ""
    resting_because: Sentence = ""

    def as_said(self) -> NodeState:
        return NodeState(**self.dict())


class Asking(Schema):
    node_id: uuid.UUID
    slots: Annotated[int, Field(ge=1, le=256, description="Hosts it asks at a time.")] = 16
    block: Annotated[uuid.UUID | None, Field(description="How the node wants the block to be called.")] = None
    state: StateSaid | None = None
    wait_seconds: Annotated[
        float,
        Field(ge=0, le=60, allow_inf_nan=False, description="How long it is ready to wait for work."),
    ] = 0.0


class SignOfLife(Schema):
    node_id: uuid.UUID
    blocks: Annotated[list[uuid.UUID], Field(max_length=100, description="What it holds and wants to keep.")]
    state: StateSaid
    heard: Annotated[
        str, Field(max_length=40, pattern=r"^[0-9a-f]*$", description="`news` of the last answer.")
    ] = ""
    wait_seconds: Annotated[
        float, Field(ge=0, le=60, allow_inf_nan=False, description="How long it is ready to wait for news.")
    ] = 0.0


class Leaving(Schema):
    node_id: uuid.UUID


class RequestOut(Schema):
    """The rest is only told to trusted nodes: what the archive holds of the URL, to ask for news and nothing else."""

    id: str
    url: str
    etag: str = ""
    last_modified: str = ""
    digest: str = ""


class HostOut(Schema):
    name: str
    delay_seconds: float
    latency_factor: Annotated[
        float,
        Field(description="The next fetch is so many times the last one's duration away, if that is longer."),
    ]
    longest_delay_seconds: Annotated[float, Field(description="But no longer than this.")]
    robots: Annotated[str, Field(description="Its robots.txt: the rules hold for redirects, too.")]
    requests: list[RequestOut]


class WorkOut(Schema):
    """What to do now. Without hosts: nothing, and when to ask again."""

    block: uuid.UUID
    lease_seconds: float
    longest_fetch_seconds: float
    come_back_seconds: float
    because: str
    hosts_per_address: Annotated[
        int,
        Field(
            description="How many hosts of one address it asks for their robots.txt at a time: only it has looked "
            "their names up."
        ),
    ]
    hosts: list[HostOut]


class HeldBlock(Schema):
    block: uuid.UUID
    lease_seconds: float


class HeldOut(Schema):
    """What the node still holds; a block that is missing went to others. `rest_because`: give back the rest."""

    blocks: list[HeldBlock]
    rest_because: str
    unwanted: Annotated[
        list[str], Field(description="Requests it holds that nobody wants any more: leave them out.")
    ]
    news: Annotated[
        str,
        Field(description="What stands for the two above: said as `heard`, one may wait until they change."),
    ]


class Accepted(Schema):
    accepted: int


@router.post("/grid/register", response=Registered, summary="A node makes itself known (contributors)")
def register(request: HttpRequest, payload: Registration) -> dict[str, Any]:
    node = services.register_node(
        actor=actor_of(request),
        name=payload.name,
        version=payload.version,
        system=payload.system,
        country=payload.country,
        # Behind a proxy it is what the proxy says, if Ronda was told that there is one.
        address=str(request.META.get("REMOTE_ADDR", "")),
        caps=services.Caps(payload.response_bytes, payload.response_seconds),
    )
    return {
        "node_id": node.pk,
        "user_agent": f"RondaBot/{__version__} (+{settings.RONDA.console_url}/bot)",
        "allow_private_networks": settings.RONDA.allow_private_networks,
    }


@router.post(
    "/grid/lease", response=WorkOut, exclude_defaults=True, summary="A node asks for work (contributors)"
)
def lease(request: HttpRequest, payload: Asking) -> dict[str, Any]:
    work = lease_block(
        actor=actor_of(request),
        node_id=payload.node_id,
        slots=payload.slots,
        block=payload.block,
        state=payload.state.as_said() if payload.state else None,
        waiting=_waiting(request, payload.wait_seconds),
    )
    return {
        "block": work.block,
        "lease_seconds": work.lease_seconds,
        "longest_fetch_seconds": work.longest_fetch_seconds,
        "come_back_seconds": work.come_back_seconds,
        "because": work.because,
        "hosts_per_address": int(value_of(HOSTS_PER_ADDRESS)),
        "hosts": [_shown(host, work.pace) for host in work.hosts],
    }


def _shown(host: LeasedHost, pace: Pace) -> dict[str, Any]:
    return {
        "name": host.name,
        "delay_seconds": host.delay_seconds,
        "latency_factor": 0.0 if host.has_set_delay else pace.latency_factor,
        "longest_delay_seconds": pace.cap_seconds,
        "robots": host.robots,
        "requests": [_shown_request(host, request) for request in host.requests],
    }


def _shown_request(host: LeasedHost, request: LeasedRequest) -> dict[str, str]:
    number = f"{ROBOTS_PREFIX}{host.host_id}" if request.id is None else str(request.id)
    shown = {"id": number, "url": request.url}
    if known := request.known:
        shown |= {"etag": known.etag, "last_modified": known.last_modified, "digest": known.digest}
    return shown


@router.post(
    "/grid/heartbeat", response=HeldOut, summary="A node is at work, and keeps what it holds (contributors)"
)
def heartbeat(request: HttpRequest, payload: SignOfLife) -> dict[str, Any]:
    held = take_heartbeat(
        actor=actor_of(request),
        node_id=payload.node_id,
        blocks=payload.blocks,
        state=payload.state.as_said(),
        heard=payload.heard,
        waiting=_waiting(request, payload.wait_seconds),
    )
    return {
        "blocks": [{"block": block, "lease_seconds": seconds} for block, seconds in held.blocks.items()],
        "rest_because": held.news.rest_because,
        "unwanted": list(held.news.unwanted),
        "news": held.news.token,
    }


@router.post("/grid/leave", response={204: None}, summary="A node is switched off (contributors)")
def leave(request: HttpRequest, payload: Leaving) -> Status[None]:
    """What it still holds goes to others; what it brings later is taken all the same."""
    services.note_left(actor=actor_of(request), node_id=payload.node_id)
    return Status(204, None)


def _waiting(request: HttpRequest, seconds: float) -> Waiting | None:
    return Waiting(seconds, has_hung_up(request)) if seconds else None


@router.put(
    "/grid/blocks/{uuid:block}", response=Accepted, summary="A node brings its answers (contributors)"
)
def upload(
    request: HttpRequest, block: uuid.UUID, node_id: uuid.UUID, interrupted: Interrupted = ""
) -> dict[str, Any]:
    """The body is application/warc: one gzip member per record, as the node wrote it. What is not in it is given back.

    `interrupted`: requests that were begun and broken off, by comma; their hosts may still be busy with them.
    """
    with TemporaryFile() as body:
        shutil.copyfileobj(request, body, 1024 * 1024)
        body.seek(0)
        taken = take_upload(
            actor=actor_of(request),
            node_id=node_id,
            block=block,
            upload=body,
            interrupted=frozenset(filter(None, interrupted.split(","))),
        )
    return {"accepted": taken.accepted}
