"""How hosts behaved, as the answers of a block show it: how long each is left alone, and where it is."""

from __future__ import annotations

import random

from django.utils import timezone

from ronda.frontier.blocks import HostReport
from ronda.frontier.models import Host, Lease
from ronda.frontier.politeness import (
    BACKOFF_FORGOTTEN_SECONDS,
    STATUSES_THAT_ASK_FOR_REST,
    Pace,
    backoff_seconds,
    delay_seconds,
)
from ronda.grid.answer_records import Answer
from ronda.grid.assignments import keys_of
from ronda.grid.policies import LONGEST_FETCH_SECONDS
from ronda.grid.upload_reader import ReadRecord
from ronda.policies.queries import value_of
from ronda_node.host_run import retry_after_seconds


def report_of(
    pace: Pace, lease: Lease, host: Host, answers: dict[str, Answer], interrupted: frozenset[str]
) -> HostReport:
    """The delay is due even if nothing was asked: a node's word for that is no proof. How a host was long ago, when
    a late answer was fetched, says nothing about how it is."""
    if lease.is_over:
        return HostReport(lease.host_id, 0.0)
    responses = _responses(lease, answers)
    latency = _latency(responses[-1]) if responses else None
    delay = delay_of(pace, host, latency)
    if not interrupted.isdisjoint(keys_of(lease)):
        delay = max(delay, float(value_of(LONGEST_FETCH_SECONDS)))
    return HostReport(host.pk, delay, latency, _backoff(pace, host, responses))


def address_of(lease: Lease, answers: dict[str, Answer]) -> str:
    """Where the host answered from last, as the node says."""
    responses = _responses(lease, answers)
    return responses[-1].fields.get("warc-ip-address", "") if responses else ""


def delay_of(pace: Pace, host: Host, latency: float | None) -> float:
    if host.delay_seconds is not None:
        return host.delay_seconds
    return delay_seconds(pace, host.crawl_delay_seconds, latency or host.latency_seconds)


def _responses(lease: Lease, answers: dict[str, Answer]) -> list[ReadRecord]:
    return [record for key in keys_of(lease) if key in answers for record in answers[key].responses]


def _latency(record: ReadRecord) -> float | None:
    """As the node measured it; a lie only makes its own host slower or as fast as the floor allows."""
    try:
        return min(3600.0, max(0.0, float(record.fields.get("ronda-total-seconds", ""))))
    except ValueError:
        return None


def _backoff(pace: Pace, host: Host, responses: list[ReadRecord]) -> float | None:
    """One incident per block, however many answers asked for rest."""
    asking = [record for record in responses if record.status in STATUSES_THAT_ASK_FOR_REST]
    if not asking:
        return None
    is_forgotten = (
        host.backoff_at is None
        or (timezone.now() - host.backoff_at).total_seconds() > BACKOFF_FORGOTTEN_SECONDS
    )
    wanted = [
        retry_after_seconds(record.http_fields.get("retry-after", "").encode()) or 0.0 for record in asking
    ]
    incidents = 1 if is_forgotten else host.backoff_count + 1
    return backoff_seconds(pace, incidents, max(wanted), random.Random())  # noqa: S311
