"""Asking a host directly, without a node: in its turn, so that all machines together keep its delay and its rests."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import connection, transaction
from django.utils import timezone

from ronda.database.named_sql import named_sql
from ronda.frontier.errors import HostOptedOut
from ronda.frontier.models import Host
from ronda.frontier.opt_outs import refusals
from ronda.frontier.policies import pace_now
from ronda.frontier.politeness import Rests, backoff_seconds, incidents_with

# Whoever waits for the same host looks again at different moments.
JITTER_SECONDS = 0.05
LONGEST_WAIT_SECONDS = 5.0


@dataclass(frozen=True)
class Turn:
    """Ours until `held_until`: by then the answer is there, or somebody else may ask."""

    host_id: int
    taken_at: datetime
    held_until: datetime


@dataclass(frozen=True)
class Busy:
    """Look again after so long."""

    seconds: float


def know_host(*, name: str, scheme: str) -> None:
    """Call once before taking turns. Hosts on the list of opt-outs are not asked, by nobody."""
    with transaction.atomic():
        if reason := refusals([name]).get(name):
            raise HostOptedOut(f"{name} does not want to be asked: {reason}.")
        Host.objects.bulk_create([Host(name=name, scheme=scheme)], ignore_conflicts=True)


def take_turn(*, name: str, hold_seconds: float) -> Turn | Busy:
    """The host for one question, or when to look again."""
    taken_at = timezone.now()
    with connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.frontier", "take_turn"), {"name": name, "hold_seconds": hold_seconds})
        if row := cursor.fetchone():
            return Turn(host_id=row[0], taken_at=taken_at, held_until=row[1])
    host = Host.objects.only("blocked_reason", "due_at").get(name=name)
    if host.is_opted_out:
        raise HostOptedOut(f"{name} does not want to be asked: {host.blocked_reason}.")
    left_seconds = (host.due_at - timezone.now()).total_seconds()
    jitter = random.uniform(0, JITTER_SECONDS)  # noqa: S311
    return Busy(min(LONGEST_WAIT_SECONDS, max(0.0, left_seconds)) + jitter)


def extend_turn(turn: Turn, *, hold_seconds: float) -> Turn:
    """The answer is still on the way. If somebody else has the host by now, nothing is taken from them."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE frontier_host SET ready_at = clock_timestamp() + make_interval(secs => %s)"
            " WHERE id = %s AND ready_at = %s RETURNING ready_at",
            [hold_seconds, turn.host_id, turn.held_until],
        )
        row = cursor.fetchone()
    return replace(turn, held_until=row[0]) if row else turn


def end_turn(turn: Turn, *, delay_seconds: float, rest_seconds: float | None = None) -> None:
    """`rest_seconds`: the host asked to be left alone for so long, though nothing is wrong with it (maxlag)."""
    _end(turn, delay_seconds, rest_seconds, None)


def end_turn_with_refusal(turn: Turn, *, delay_seconds: float, retry_after_seconds: float | None) -> float:
    """It answered 429 or 503: it rests longer each time in a row. Returns for how long."""
    host = Host.objects.get(pk=turn.host_id)
    rests = Rests(host.backoff_count, host.backoff_at, host.backoff_until)
    incidents = incidents_with(rests, leased_at=turn.taken_at, now=timezone.now())
    seconds = backoff_seconds(pace_now(), incidents, retry_after_seconds, random.Random())  # noqa: S311
    _end(turn, delay_seconds, seconds, incidents)
    return seconds


def _end(turn: Turn, delay_seconds: float, rest_seconds: float | None, incidents: int | None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            named_sql("ronda.frontier", "end_turn"),
            {
                "host": turn.host_id,
                "held_until": turn.held_until,
                "delay_seconds": delay_seconds,
                "rest_seconds": rest_seconds,
                "incidents": incidents,
            },
        )
