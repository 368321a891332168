"""What can be asked about hosts, and about who holds them."""

from __future__ import annotations

import uuid
from enum import StrEnum

from django.db import connection
from django.db.models import ExpressionWrapper, FloatField, Q, QuerySet, Value
from django.db.models.functions import Coalesce, Greatest, Least
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.database.named_sql import named_sql
from ronda.frontier.blocks import Held
from ronda.frontier.errors import NoSuchHost
from ronda.frontier.models import Host, HostChange, Lease, Reach, RobotsState
from ronda.frontier.opt_outs import without_port
from ronda.frontier.policies import pace_now
from ronda.frontier.politeness import Pace


class HostGroup(StrEnum):
    """Hosts one looks for."""

    QUEUED = "queued"
    RESTING = "resting"
    HELD = "held"
    UNREACHABLE = "unreachable"
    OPTED_OUT = "opted-out"


def pace_of_host(pace: Pace) -> Coalesce:
    """The delay of a host as sql/claim.sql reckons it."""
    wanted = Greatest(
        Value(pace.floor_seconds),
        Coalesce("crawl_delay_seconds", Value(0.0)),
        Coalesce("learned_delay_seconds", Value(0.0)),
        ExpressionWrapper(
            Value(pace.latency_factor) * Coalesce("latency_seconds", Value(0.0)), output_field=FloatField()
        ),
    )
    return Coalesce("delay_seconds", Least(Value(pace.cap_seconds), wanted), output_field=FloatField())


def hosts(*, actor: Person | None, search: str = "", group: HostGroup | None = None) -> QuerySet[Host]:
    """With `pace_seconds`, the delay that holds now, and without the text of robots.txt, which may be long."""
    require(actor, Role.DIRECTOR)
    found = Host.objects.annotate(pace_seconds=pace_of_host(pace_now())).defer("robots_text")
    if search:
        found = found.filter(name__contains=search.strip().lower())
    return found.filter(_in_group(group)) if group else found


def _in_group(group: HostGroup) -> Q:
    match group:
        case HostGroup.QUEUED:
            return Q(has_work=True)
        case HostGroup.RESTING:
            return Q(backoff_until__gt=timezone.now())
        case HostGroup.HELD:
            return Q(pk__in=Lease.objects.filter(expires_at__gt=timezone.now()).values("host_id"))
        case HostGroup.UNREACHABLE:
            return Q(robots_state=RobotsState.UNREACHABLE)
        case HostGroup.OPTED_OUT:
            return ~Q(blocked_reason="")


def host(*, actor: Person | None, name: str) -> Host:
    require(actor, Role.DIRECTOR)
    found = (
        Host.objects.annotate(pace_seconds=pace_of_host(pace_now()))
        .select_related("ip_group")
        .filter(name=name)
        .first()
    )
    if found is None:
        raise NoSuchHost()
    return found


def changes(*, actor: Person | None, host_name: str = "") -> QuerySet[HostChange]:
    """Who changed what when; of one host, with the opt-outs of its very name."""
    require(actor, Role.DIRECTOR)
    found = HostChange.objects.select_related("changed_by")
    return found.filter(subject__in=[host_name, without_port(host_name)]) if host_name else found


def leases_of(host: Host) -> QuerySet[Lease]:
    """Who fetches from it now."""
    return Lease.objects.filter(host=host, expires_at__gt=timezone.now()).order_by("pk")


def reach_of(host: Host) -> QuerySet[Reach]:
    """How quick it was for nodes of each country, the quickest first."""
    return Reach.objects.filter(host_id=host.pk).order_by("latency_seconds")


def unwanted_of(node: uuid.UUID) -> list[tuple[int, int]]:
    """What it holds and nobody wants any more: request and host, or 0 and the host for a robots.txt."""
    with connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.frontier", "unwanted_of"), {"node": node})
        found: list[tuple[int, int]] = cursor.fetchall()
        return found


def held_in(*, node: uuid.UUID, block: uuid.UUID) -> list[Held]:
    """What a node holds or held in a block."""
    found = Lease.objects.filter(block=block, node=node)
    fields = (
        "host_id", "host__name", "host__scheme", "request_ids", "is_robots", "is_trusted", "is_over", "granted_at",
    )  # fmt: skip
    return [Held._make(row) for row in found.values_list(*fields)]
