"""How hosts behaved, as the answers of a block show it: how long each is left alone, and where it is."""

from __future__ import annotations

import random
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from ronda.frontier.blocks import Held, HostReport
from ronda.frontier.models import Host
from ronda.frontier.politeness import (
    LEARNED_HALVED_SECONDS,
    LEAST_LEARNED_SECONDS,
    LONGEST_BACKOFF_SECONDS,
    STATUSES_THAT_ASK_FOR_REST,
    TOO_MANY_REQUESTS,
    UNCONFIRMED_REST_SECONDS,
    UNPROVEN_LATENCY_SECONDS,
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
from ronda.grid.presence import alike, ready
from ronda.grid.upload_reader import ReadRecord
from ronda.policies.queries import value_of
from ronda_node.host_run import retry_after_seconds
from ronda_node.reasons import OF_THE_HOST

# Longer than a URL waits for its second try.
AVOIDED_SECONDS = 90.0


@dataclass(frozen=True)
class Word:
    """Whose word a report is. `is_alone`: nobody else's node is there who could confirm it."""

    owner: int
    is_alone: bool


def word_of(node: Node) -> Word:
    others = ready().exclude(owner=node.owner_id)
    return Word(node.owner_id, not others.exists())


def report_of(
    pace: Pace,
    lease: Held,
    host: Host,
    answers: dict[str, Answer],
    interrupted: frozenset[str],
    word: Word,
) -> HostReport:
    """The delay is due even if nothing was asked: a node's word for that is no proof. How a host was long ago, when
    a late answer was fetched, says nothing about how it is."""
    if lease.is_over:
        return HostReport(lease.host_id, 0.0)
    responses = _responses(lease, answers)
    latency = _latency(host, responses[-1], is_trusted=lease.is_trusted) if responses else None
    delay = delay_of(pace, host, latency)
    if not interrupted.isdisjoint(keys_of(lease)):
        delay = max(delay, float(value_of(LONGEST_FETCH_SECONDS)))
    if lease.is_robots and host.robots_failures:
        delay = max(delay, RETRY_SECONDS * host.robots_failures)
    rests = Rests(host.backoff_count, host.backoff_at, host.backoff_until)
    incidents = incidents_with(rests, leased_at=lease.granted_at, now=timezone.now())
    if not lease.is_trusted:
        # Its word does not make a rest longer than the one before.
        incidents = max(1, min(incidents, host.backoff_count))
    is_new = lease.is_trusted and incidents != host.backoff_count
    return HostReport(
        host.pk,
        delay,
        latency,
        _backoff(pace, incidents, responses, _longest_rest(lease, host, word, incidents)),
        incidents,
        _learned(pace, host, responses, is_new=is_new),
    )


def note_rests(
    node: Node, hosts: Mapping[int, Host], reports: Sequence[HostReport], *, is_enough: bool
) -> None:
    """Who said that a host asks for rest; when that is over, others ask first. `is_enough`: it is trusted and alone."""
    resting = {report.host_id: report.backoff_seconds for report in reports if report.backoff_seconds}
    if not resting:
        return
    Host.objects.filter(pk__in=resting).update(backoff_told_by=node.owner_id)
    if is_enough:
        return
    blamed = alike(node)
    for host_id, seconds in resting.items():
        _avoid(hosts[host_id], blamed, min(UNCONFIRMED_REST_SECONDS, seconds) + AVOIDED_SECONDS)


def _avoid(host: Host, blamed: list[uuid.UUID], seconds: float) -> None:
    now = timezone.now()
    is_recent = host.avoided_until is not None and host.avoided_until > now
    host.avoided_nodes = sorted({*blamed, *(host.avoided_nodes if is_recent else [])})
    host.avoided_until = now + timedelta(seconds=seconds)
    host.save(update_fields=["avoided_nodes", "avoided_until"])


def address_of(lease: Held, answers: dict[str, Answer]) -> str:
    """Where the host answered from last, as the node says."""
    responses = _responses(lease, answers)
    return responses[-1].fields.get("warc-ip-address", "") if responses else ""


def note_unreached(
    node: Node, leases: list[Held], hosts: dict[int, Host], answers: dict[str, Answer]
) -> None:
    """Hosts this node got nowhere with: it may be the node. Others who are there try next, for a while."""
    unreached = [
        hosts[lease.host_id] for lease in leases if not lease.is_over and _is_unreached(lease, answers)
    ]
    if not unreached:
        return
    blamed = alike(node)
    for host in unreached:
        _avoid(host, blamed, AVOIDED_SECONDS)


def _is_unreached(lease: Held, answers: dict[str, Answer]) -> bool:
    found = [answers[key] for key in keys_of(lease) if key in answers]
    return any(answer.failure and answer.reason in OF_THE_HOST for answer in found) and not any(
        answer.responses for answer in found
    )


def delay_of(pace: Pace, host: Host, latency: float | None) -> float:
    if host.delay_seconds is not None:
        return host.delay_seconds
    wanted = max(host.crawl_delay_seconds or 0.0, host.learned_delay_seconds or 0.0)
    return delay_seconds(pace, wanted, latency or host.latency_seconds)


def _responses(lease: Held, answers: dict[str, Answer]) -> list[ReadRecord]:
    return [record for key in keys_of(lease) if key in answers for record in answers[key].responses]


def _latency(host: Host, record: ReadRecord, *, is_trusted: bool) -> float:
    """As the node measured it. That a host is quick is believed, as far as the floor allows; that it is slow, of a
    node that nobody knows yet, only if it was known to be."""
    seconds = float(record.fields["ronda-total-seconds"])
    return seconds if is_trusted else min(seconds, max(UNPROVEN_LATENCY_SECONDS, host.latency_seconds or 0.0))


def _longest_rest(lease: Held, host: Host, word: Word, incidents: int) -> tuple[float, float]:
    """At most, in seconds: of what a host asks for, and of the rest that follows."""
    if not lease.is_trusted:
        return UNPROVEN_RETRY_AFTER_SECONDS, LONGEST_BACKOFF_SECONDS
    is_confirmed = incidents > 1 and host.backoff_told_by not in (None, word.owner)
    longest = LONGEST_BACKOFF_SECONDS if word.is_alone or is_confirmed else UNCONFIRMED_REST_SECONDS
    return longest, longest


def _backoff(
    pace: Pace, incidents: int, responses: list[ReadRecord], longest: tuple[float, float]
) -> float | None:
    """One incident per block, however many answers asked for rest."""
    asking = [record for record in responses if record.status in STATUSES_THAT_ASK_FOR_REST]
    if not asking:
        return None
    wanted = max(
        retry_after_seconds(record.http_fields.get("retry-after", "").encode()) or 0.0 for record in asking
    )
    wanted = min(wanted, longest[0])
    return min(longest[1], backoff_seconds(pace, incidents, wanted, random.Random()))  # noqa: S311


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
