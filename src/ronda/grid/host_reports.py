"""How hosts behaved, as the answers of a block show it: how long each is left alone, and where it is."""

from __future__ import annotations

import random
from datetime import timedelta

from django.utils import timezone

from ronda.frontier.blocks import HostReport
from ronda.frontier.models import Host, Lease
from ronda.frontier.politeness import (
    LEARNED_HALVED_SECONDS,
    LEAST_LEARNED_SECONDS,
    STATUSES_THAT_ASK_FOR_REST,
    TOO_MANY_REQUESTS,
    UNPROVEN_RETRY_AFTER_SECONDS,
    Pace,
    Rests,
    backoff_seconds,
    delay_seconds,
    incidents_with,
    unlearned_seconds,
)
from ronda.frontier.robots_keeping import RETRY_SECONDS
from ronda.grid.answer_records import Answer
from ronda.grid.assignments import keys_of
from ronda.grid.models import Node
from ronda.grid.policies import LONGEST_FETCH_SECONDS
from ronda.grid.presence import alike
from ronda.grid.upload_reader import ReadRecord
from ronda.policies.queries import value_of
from ronda_node.host_run import retry_after_seconds
from ronda_node.reasons import OF_THE_HOST

# Longer than a URL waits for its second try.
AVOIDED_SECONDS = 90.0


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
    if lease.is_robots and host.robots_failures:
        delay = max(delay, RETRY_SECONDS * host.robots_failures)
    rests = Rests(host.backoff_count, host.backoff_at, host.backoff_until)
    incidents = incidents_with(rests, leased_at=lease.granted_at, now=timezone.now())
    return HostReport(
        host.pk,
        delay,
        latency,
        _backoff(pace, incidents, responses, lease),
        incidents,
        _learned(pace, host, responses, is_new=incidents != host.backoff_count),
    )


def address_of(lease: Lease, answers: dict[str, Answer]) -> str:
    """Where the host answered from last, as the node says."""
    responses = _responses(lease, answers)
    return responses[-1].fields.get("warc-ip-address", "") if responses else ""


def note_unreached(
    node: Node, leases: list[Lease], hosts: dict[int, Host], answers: dict[str, Answer]
) -> None:
    """Hosts this node got nowhere with: it may be the node. Others who are there try next, for a while."""
    unreached = [
        hosts[lease.host_id] for lease in leases if not lease.is_over and _is_unreached(lease, answers)
    ]
    if not unreached:
        return
    now, blamed = timezone.now(), alike(node)
    for host in unreached:
        is_recent = host.avoided_until is not None and host.avoided_until > now
        host.avoided_nodes = sorted({*blamed, *(host.avoided_nodes if is_recent else [])})
        host.avoided_until = now + timedelta(seconds=AVOIDED_SECONDS)
        host.save(update_fields=["avoided_nodes", "avoided_until"])


def _is_unreached(lease: Lease, answers: dict[str, Answer]) -> bool:
    found = [answers[key] for key in keys_of(lease) if key in answers]
    return any(answer.failure and answer.reason in OF_THE_HOST for answer in found) and not any(
        answer.responses for answer in found
    )


def delay_of(pace: Pace, host: Host, latency: float | None) -> float:
    if host.delay_seconds is not None:
        return host.delay_seconds
    wanted = max(host.crawl_delay_seconds or 0.0, host.learned_delay_seconds or 0.0)
    return delay_seconds(pace, wanted, latency or host.latency_seconds)


def _responses(lease: Lease, answers: dict[str, Answer]) -> list[ReadRecord]:
    return [record for key in keys_of(lease) if key in answers for record in answers[key].responses]


def _latency(record: ReadRecord) -> float | None:
    """As the node measured it; a lie only makes its own host slower or as fast as the floor allows."""
    try:
        return min(3600.0, max(0.0, float(record.fields.get("ronda-total-seconds", ""))))
    except ValueError:
        return None


def _backoff(pace: Pace, incidents: int, responses: list[ReadRecord], lease: Lease) -> float | None:
    """One incident per block, however many answers asked for rest."""
    asking = [record for record in responses if record.status in STATUSES_THAT_ASK_FOR_REST]
    if not asking:
        return None
    wanted = max(
        retry_after_seconds(record.http_fields.get("retry-after", "").encode()) or 0.0 for record in asking
    )
    if not lease.is_trusted:
        wanted = min(wanted, UNPROVEN_RETRY_AFTER_SECONDS)
    return backoff_seconds(pace, incidents, wanted, random.Random())  # noqa: S311


def _learned(pace: Pace, host: Host, responses: list[ReadRecord], *, is_new: bool) -> float | None:
    """The pace at which a host sends 429 was too fast for it: half of it from now on. Slowly forgotten."""
    statuses = {record.status for record in responses}
    if TOO_MANY_REQUESTS in statuses:
        doubled = max(LEAST_LEARNED_SECONDS, 2 * delay_of(pace, host, None))
        return min(pace.cap_seconds, doubled) if is_new else None
    if host.learned_delay_seconds is None or host.learned_at is None or not statuses:
        return None
    is_time = (timezone.now() - host.learned_at).total_seconds() > LEARNED_HALVED_SECONDS
    return unlearned_seconds(pace, host.learned_delay_seconds) if is_time else None
