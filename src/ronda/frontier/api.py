"""API of hosts: how each is fetched, and the list of those that opted out."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Field, Query, Router, Schema, Status

from ronda.accounts.authentication import actor_of
from ronda.frontier import hosts, opt_outs, queries
from ronda.frontier.models import Host, HostChange, OptOut
from ronda.frontier.queries import HostGroup
from ronda.http.inputs import Input, ShortText
from ronda.http.paging import PageOf, PageRequest, paginate

router = Router(tags=["Hosts"])

SORTABLE = {
    "name": "name",
    "queued": "queued",
    "due_at": "due_at",
    "pace_seconds": "pace_seconds",
    "backoff_until": "backoff_until",
    "robots_state": "robots_state",
    "latency_seconds": "latency_seconds",
}


class HostOut(Schema):
    name: str
    queued: int
    due_at: datetime | None
    pace_seconds: Annotated[float, Field(description="The delay that holds now.")]
    delay_seconds: Annotated[float | None, Field(description="Set by hand.")]
    crawl_delay_seconds: float | None
    latency_seconds: float | None
    learned_delay_seconds: Annotated[float | None, Field(description="From its answers 429.")]
    max_nodes: Annotated[int, Field(description="Counts where the delay is per node; else one at a time.")]
    is_delay_per_node: bool
    backoff_until: datetime | None
    robots_state: str
    robots_expires_at: datetime | None
    opted_out: str

    @staticmethod
    def resolve_opted_out(host: Host) -> str:
        return host.blocked_reason


class WholeHostOut(HostOut):
    robots_text: str


class HostIn(Input):
    """What is left out stays as it is; a delay of null is nobody's any more: the settings decide."""

    delay_seconds: Annotated[float | None, Field(ge=0, le=hosts.LONGEST_DELAY_SECONDS)] = None
    max_nodes: Annotated[int, Field(ge=1, le=hosts.MOST_NODES)] = 1
    is_delay_per_node: bool = False
    note: ShortText = ""


class HostChangeOut(Schema):
    id: int
    subject: str
    field: str
    former: str
    value: str
    note: str
    changed_by: str | None
    changed_at: datetime

    @staticmethod
    def resolve_changed_by(change: HostChange) -> str | None:
        return str(change.changed_by) if change.changed_by else None


class OptOutIn(Input):
    pattern: Annotated[str, Field(max_length=264, description="A host, or *.domain for all below it too.")]
    reason: ShortText


class OptOutOut(Schema):
    id: int
    pattern: str
    reason: str
    created_by: str | None
    created_at: datetime

    @staticmethod
    def resolve_created_by(opt_out: OptOut) -> str | None:
        return str(opt_out.created_by) if opt_out.created_by else None


@router.get("/hosts", response=PageOf[HostOut], summary="All hosts (directors)")
def list_hosts(
    request: HttpRequest,
    wanted: Query[PageRequest],
    search: Annotated[str, Query(max_length=200, pattern=r"^[^\x00]*$")] = "",
    group: HostGroup | None = None,
) -> Any:
    found = queries.hosts(actor=actor_of(request), search=search, group=group)
    return paginate(found, wanted, sortable=SORTABLE, default="name")


@router.get("/hosts/{name}", response=WholeHostOut, summary="One host (directors)")
def show_host(request: HttpRequest, name: str) -> Host:
    return queries.host(actor=actor_of(request), name=name)


@router.patch("/hosts/{name}", response=WholeHostOut, summary="Change how a host is fetched (directors)")
def change_host(request: HttpRequest, name: str, payload: HostIn) -> Host:
    actor = actor_of(request)
    given = payload.dict(exclude_unset=True)
    note = given.pop("note", "")
    present = vars(hosts.choices_of(queries.host(actor=actor, name=name)))
    hosts.change_host(actor=actor, name=name, choices=hosts.HostChoices(**{**present, **given}), note=note)
    return queries.host(actor=actor, name=name)


@router.delete("/hosts/{name}/backoff", response=WholeHostOut, summary="End a host's rest (directors)")
def end_backoff(request: HttpRequest, name: str) -> Host:
    hosts.end_backoff(actor=actor_of(request), name=name)
    return queries.host(actor=actor_of(request), name=name)


@router.delete(
    "/hosts/{name}/robots", response=WholeHostOut, summary="Ask for its robots.txt again (directors)"
)
def ask_robots_again(request: HttpRequest, name: str) -> Host:
    hosts.ask_robots_again(actor=actor_of(request), name=name)
    return queries.host(actor=actor_of(request), name=name)


@router.get(
    "/hosts/{name}/changes", response=PageOf[HostChangeOut], summary="Who changed a host when (directors)"
)
def list_changes(request: HttpRequest, name: str, wanted: Query[PageRequest]) -> Any:
    found = queries.changes(actor=actor_of(request), host_name=name)
    return paginate(found, wanted, sortable={"changed_at": "changed_at"}, default="-changed_at")


@router.get("/opt-outs", response=PageOf[OptOutOut], summary="Hosts that opted out (directors)")
def list_opt_outs(request: HttpRequest, wanted: Query[PageRequest]) -> Any:
    fields = {name: name for name in ("pattern", "created_at")}
    return paginate(opt_outs.opt_outs(actor=actor_of(request)), wanted, sortable=fields, default="pattern")


@router.post("/opt-outs", response={201: OptOutOut}, summary="Opt a host or a domain out (directors)")
def add_opt_out(request: HttpRequest, payload: OptOutIn) -> Status[OptOut]:
    added = opt_outs.add_opt_out(actor=actor_of(request), pattern=payload.pattern, reason=payload.reason)
    return Status(201, added)


@router.delete("/opt-outs/{int:opt_out_id}", response={204: None}, summary="Remove an opt-out (directors)")
def remove_opt_out(request: HttpRequest, opt_out_id: int) -> Status[None]:
    opt_outs.remove_opt_out(actor=actor_of(request), opt_out_id=opt_out_id)
    return Status(204, None)
