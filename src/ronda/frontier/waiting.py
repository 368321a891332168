"""How much is waiting, how fast it could go at most, and why a host waits."""

from __future__ import annotations

import uuid
from collections.abc import Collection
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.db import connection

from ronda.database.named_sql import named_sql
from ronda.frontier.blocks import Claimant
from ronda.frontier.models import Host, RobotsState
from ronda.frontier.policies import HOSTS_PER_ADDRESS, pace_now
from ronda.policies.queries import value_of


class WaitsFor(StrEnum):
    OPTED_OUT = "opted out"
    BACKOFF = "back-off"
    HELD = "held by a node"
    LOST = "its node fell silent"
    ADDRESS = "its address is busy"
    RETRY = "its URLs are tried again later"
    DELAY = "delay"
    ROBOTS = "robots.txt unreachable"
    NODE = "a node"


@dataclass(frozen=True)
class Waiting:
    """The frontier as a whole. `ceiling`: URLs a second, were every host that may be asked always asked in time."""

    hosts: int
    due: int
    resting: int
    queued: int
    ceiling: float


@dataclass(frozen=True)
class WaitingHost:
    """A host with work. `until`: when what it waits for is over, if that is known."""

    name: str
    queued: int
    pace_seconds: float
    waits_for: WaitsFor
    until: datetime | None


@dataclass(frozen=True)
class HostClocks:
    """What decides why a host waits."""

    blocked_reason: str
    backoff_until: datetime | None
    ready_at: datetime
    is_held: bool
    held_until: datetime | None
    # Somebody held it and is not heard from any more: a fetch may still be under way.
    is_lost: bool
    # When the first of those who hold the hosts of its address has to be done, if there is no place left.
    address_free_at: datetime | None
    robots_state: str
    pace_seconds: float


def reason(clocks: HostClocks, now: datetime) -> tuple[WaitsFor, datetime | None]:
    """What holds a host with work back at `now`: the strongest reason first."""
    wait_seconds = (clocks.ready_at - now).total_seconds()
    if clocks.blocked_reason:
        return WaitsFor.OPTED_OUT, None
    if clocks.backoff_until and clocks.backoff_until > now:
        return WaitsFor.BACKOFF, clocks.backoff_until
    if clocks.is_held:
        return WaitsFor.HELD, clocks.held_until
    if clocks.is_lost and wait_seconds > 0:
        return WaitsFor.LOST, clocks.ready_at
    if clocks.address_free_at:
        return WaitsFor.ADDRESS, clocks.address_free_at
    # After an answer it is free again within its delay; longer means that its URLs have a time of their own.
    if wait_seconds > clocks.pace_seconds + 1:
        return WaitsFor.RETRY, clocks.ready_at
    if wait_seconds > 0:
        return WaitsFor.DELAY, clocks.ready_at
    if clocks.robots_state == RobotsState.UNREACHABLE:
        return WaitsFor.ROBOTS, None
    return WaitsFor.NODE, None


def waiting_now() -> Waiting:
    with connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.frontier", "waiting"), asdict(pace_now()))
        return Waiting(*cursor.fetchone())


def has_work_for(claimants: Collection[Claimant], *, present: Collection[uuid.UUID]) -> bool:
    """Whether somebody of these would get something now: some URLs are not for everybody. `present`: who is there."""
    with connection.cursor() as cursor:
        arguments: dict[str, Any] = {
            "present": list(present),
            "nodes": [one.node for one in claimants],
            "owners": [one.owner for one in claimants],
            "countries": [one.country for one in claimants],
            "trusts": [one.is_trusted for one in claimants],
        }
        cursor.execute(named_sql("ronda.frontier", "has_work_for"), arguments)
        return bool(cursor.fetchone()[0])


def longest_queues(count: int) -> list[WaitingHost]:
    """The hosts with the most URLs waiting, and what each waits for."""
    longest = Host.objects.filter(has_work=True).order_by("-queued", "pk")
    return _waiting_hosts(list(longest.values_list("pk", flat=True)[:count]))


def waiting_host(host: Host) -> WaitingHost:
    """What this host with work waits for."""
    return _waiting_hosts([host.pk])[0]


def waiting_among(names: Collection[str]) -> dict[str, WaitingHost]:
    """Those of the hosts named that have work, and what each waits for."""
    ids = Host.objects.filter(name__in=names, has_work=True).values_list("pk", flat=True)
    return {host.name: host for host in _waiting_hosts(list(ids))}


def _waiting_hosts(ids: list[int]) -> list[WaitingHost]:
    arguments = {**asdict(pace_now()), "ids": ids, "hosts_per_address": int(value_of(HOSTS_PER_ADDRESS))}
    with connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.frontier", "waiting_hosts"), arguments)
        return [_waiting_host(*row) for row in cursor.fetchall()]


def _waiting_host(now: datetime, name: str, queued: int, *clocks: object) -> WaitingHost:
    found = HostClocks(*clocks)  # type: ignore[arg-type]
    waits_for, until = reason(found, now)
    return WaitingHost(name, queued, found.pace_seconds, waits_for, until)
