"""A node brings its answers: checked against its leases, archived, indexed, and only then acknowledged."""

from __future__ import annotations

import gzip
import random
import uuid
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import BinaryIO

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.archive import services as archive
from ronda.archive.payload import payload_of
from ronda.archive.services import FetchedBy, NewCapture
from ronda.frontier import services as frontier
from ronda.frontier.addresses import note_addresses
from ronda.frontier.blocks import Completion, EndedRequest, HostReport, Retry
from ronda.frontier.models import Host, Lease, Request
from ronda.frontier.policies import pace_now
from ronda.frontier.politeness import (
    BACKOFF_FORGOTTEN_SECONDS,
    STATUSES_THAT_ASK_FOR_REST,
    Pace,
    backoff_seconds,
    delay_seconds,
)
from ronda.frontier.purposes import Ended, Outcome, OutcomeState, tell
from ronda.grid import listening, minutes
from ronda.grid.block_size import note_rate
from ronda.grid.errors import BadUpload, LeaseOver
from ronda.grid.leasing import ROBOTS_PREFIX
from ronda.grid.listening import Accepted, Brought
from ronda.grid.minutes import Amount
from ronda.grid.models import Node
from ronda.grid.policies import LONGEST_FETCH_SECONDS, MOST_ATTEMPTS
from ronda.grid.robots_answers import keep_robots
from ronda.grid.services import note_presence
from ronda.grid.upload_reader import ReadLimits, ReadRecord, read_records
from ronda.policies.queries import value_of
from ronda_node.host_run import retry_after_seconds
from ronda_node.reasons import OF_THE_HOST, Reason

LIMITS = ReadLimits()
FIRST_RETRY_SECONDS = 30.0
BODY_BYTES = 1024**2
PASSING = OF_THE_HOST | {Reason.DISCONNECTED}


@dataclass
class Answer:
    """All records of one request, in order; the last response or failure is what counts."""

    responses: list[ReadRecord] = field(default_factory=list)
    failure: ReadRecord | None = None

    @property
    def last(self) -> ReadRecord:
        return self.failure or self.responses[-1]


@dataclass(frozen=True)
class Acknowledgement:
    accepted: int


def take_upload(
    *,
    actor: Person | None,
    node_id: uuid.UUID,
    block: uuid.UUID,
    upload: BinaryIO,
    interrupted: frozenset[str] = frozenset(),
) -> Acknowledgement:
    """Check, archive, index, complete: all of it, or nothing. What was assigned and is not in it is given back.

    `interrupted` were begun and broken off: their hosts may still be busy with them, and rest accordingly.
    """
    node = note_presence(actor=actor, node_id=node_id)
    leases = list(Lease.objects.filter(block=block, node=node.pk).select_related("host"))
    if not leases:
        raise LeaseOver()
    extra = listening.assigned(node, block)
    records = list(read_records(upload, LIMITS))
    assigned = _assigned(leases)
    answered = {str(number) for lease in leases for number in lease.request_ids} - assigned.keys()
    if any(record.request_id in answered for record in records):
        _leave_out(upload, records, answered)
        records = list(read_records(upload, LIMITS))
    everything = _answers(records, {**assigned, **extra})
    answers = {key: answer for key, answer in everything.items() if key not in extra}
    mixed_in = {key: answer for key, answer in everything.items() if key in extra}
    try:
        listening.inspect(Brought(node, block, mixed_in, len(extra), lambda record: _body_of(record, upload)))
    except LeaseOver:
        _give_back(node, block, leases)
        raise
    upload.seek(0)
    with archive.writer().appending() as appending, transaction.atomic():
        _take_turn(node, block)
        start = appending.append(upload) if records else 0
        capture_ids = archive.index_captures(
            appending=appending,
            start=start,
            captures=_captures([record for record in records if record.request_id not in extra], leases),
            fetched_by=FetchedBy(node.pk, node.owner_id),
        )
        hosts = frontier.lock_hosts(lease.host_id for lease in leases)
        keep_robots(
            node.pk,
            hosts,
            {
                lease.host_id: answers.get(_robots_id(lease))
                for lease in leases
                if lease.is_robots and not lease.is_over
            },
            upload,
        )
        note_addresses(
            hosts,
            {lease.host_id: address for lease in leases if (address := _address(lease, answers))},
            are_private_grouped=settings.RONDA.allow_private_networks,
        )
        ended = [
            _ended(node, request, answers[str(request.id)], capture_ids)
            for request in _complete(node, block, leases, hosts, answers, interrupted)
        ]
        tell(ended)
        # What was mixed in counts like the rest, or a node could tell it by the numbers.
        extra_ended = [key for key, answer in mixed_in.items() if not _is_worth_another_try(answer)]
        listening.tell_accepted(Accepted(node, block, ended, len(extra_ended)))
        count = len(ended) + len(extra_ended)
        keys = [*(str(one.request.id) for one in ended), *extra_ended]
        minutes.count(node_id=node.pk, amounts=_amounts(records, everything, keys))
        Node.objects.filter(pk=node.pk).update(answered=F("answered") + count)
        note_rate(node=node, given_at=min(lease.granted_at for lease in leases), urls=len(everything))
    return Acknowledgement(count)


def _give_back(node: Node, block: uuid.UUID, leases: list[Lease]) -> None:
    """Others may have these hosts, after the delay: who is refused may well have asked them."""
    pace = pace_now()
    reports = [HostReport(lease.host_id, _delay(pace, lease.host, None)) for lease in leases]
    frontier.complete(completion=Completion(node.pk, block, [], [], reports))


def _body_of(record: ReadRecord, upload: BinaryIO) -> bytes:
    upload.seek(record.offset)
    return payload_of(gzip.decompress(upload.read(record.length)), BODY_BYTES)


def _take_turn(node: Node, block: uuid.UUID) -> None:
    """A node that lost patience sends a block again while the first copy is being taken in: one by one."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [str(block)])
    if not Lease.objects.filter(block=block, node=node.pk).exists():
        raise LeaseOver()


def _leave_out(upload: BinaryIO, records: list[ReadRecord], answered: set[str]) -> None:
    """What others answered meanwhile: what was asked is no longer known, so it cannot be checked."""
    end = 0
    for record in records:
        if record.request_id not in answered:
            upload.seek(record.offset)
            member = upload.read(record.length)
            upload.seek(end)
            end += upload.write(member)
    upload.truncate(end)
    upload.seek(0)


def _amounts(records: list[ReadRecord], answers: dict[str, Answer], ended: list[str]) -> dict[str, Amount]:
    """URLs that ended, and all bytes that came, robots.txt and what is tried again among them."""
    urls = Counter(_outcome(answers[key]) for key in ended)
    sizes: Counter[str] = Counter()
    for record in records:
        sizes[_outcome(answers[record.request_id])] += record.length
    return {outcome: Amount(urls[outcome], sizes[outcome]) for outcome in urls | sizes}


def _outcome(answer: Answer) -> str:
    return _reason(answer.failure) if answer.failure else minutes.class_of(answer.last.status)


def _robots_id(lease: Lease) -> str:
    return f"{ROBOTS_PREFIX}{lease.host_id}"


def _assigned(leases: list[Lease]) -> dict[str, str]:
    """What the node was asked: request id → URL."""
    ids = [number for lease in leases for number in lease.request_ids]
    assigned = {
        str(number): url for number, url in Request.objects.filter(pk__in=ids).values_list("pk", "url")
    }
    for lease in leases:
        if lease.is_robots:
            assigned[_robots_id(lease)] = f"{lease.host.scheme}://{lease.host.name}/robots.txt"
    return assigned


def _answers(records: list[ReadRecord], assigned: dict[str, str]) -> dict[str, Answer]:
    """The records by request; one that was not asked for spoils the whole upload."""
    answers: dict[str, Answer] = defaultdict(Answer)
    for record in records:
        wanted = assigned.get(record.request_id)
        if wanted is None:
            raise BadUpload(f"{record.url[:200]} was not assigned to this node.")
        is_first = record.request_id not in answers
        if (record.url != wanted) if is_first else (_origin(record.url) != _origin(wanted)):
            raise BadUpload(f"{record.url[:200]} is not what was assigned.")
        if record.kind == "response":
            answers[record.request_id].responses.append(record)
        elif record.kind == "metadata":
            answers[record.request_id].failure = record
        elif is_first:
            raise BadUpload("A request record stands before its response.")
    return dict(answers)


def _origin(url: str) -> str:
    return "/".join(url.split("/", 3)[2:3])


def _captures(records: list[ReadRecord], leases: list[Lease]) -> list[NewCapture]:
    """One per response, reaching over the request record behind it. Fetched between the lease and now: whatever the
    clock of the node says."""
    earliest, latest = min(lease.granted_at for lease in leases), timezone.now()
    captures = []
    for number, record in enumerate(records):
        if record.kind != "response":
            continue
        follower = records[number + 1] if number + 1 < len(records) else None
        has_request = follower is not None and follower.kind == "request"
        captures.append(
            NewCapture(
                url=record.url,
                fetched_at=min(max(record.fetched_at, earliest), latest),
                status=record.status,
                mime=record.mime,
                digest=record.payload_digest,
                address=record.fields.get("warc-ip-address", "")[:45],
                truncated=record.fields.get("warc-truncated", "")[:12],
                offset=record.offset,
                length=record.length + (follower.length if follower and has_request else 0),
                response_length=record.length,
            )
        )
    return captures


def _complete(
    node: Node,
    block: uuid.UUID,
    leases: list[Lease],
    hosts: dict[int, Host],
    answers: dict[str, Answer],
    interrupted: frozenset[str],
) -> list[EndedRequest]:
    done: list[int] = []
    retries: list[Retry] = []
    asked = Request.objects.filter(pk__in=[int(key) for key in answers if key.isdigit()])
    attempts = dict(asked.values_list("pk", "attempts"))
    most = int(value_of(MOST_ATTEMPTS))
    for key, answer in answers.items():
        if not key.isdigit():
            continue
        number = int(key)
        tried = attempts.get(number, 0) + 1
        if _is_worth_another_try(answer) and tried < most:
            retries.append(Retry(number, FIRST_RETRY_SECONDS * 2 ** (tried - 1)))
        else:
            done.append(number)
    pace = pace_now()
    reports = [_report(pace, lease, hosts[lease.host_id], answers, interrupted) for lease in leases]
    return frontier.complete(completion=Completion(node.pk, block, done, retries, reports, node.country))


def _is_worth_another_try(answer: Answer) -> bool:
    if answer.failure:
        return _reason(answer.failure) in PASSING
    return answer.last.status in STATUSES_THAT_ASK_FOR_REST


def _reason(failure: ReadRecord) -> str:
    return failure.block_start.decode("utf-8", "replace").partition("reason:")[2].split("\r\n")[0].strip()


def _keys(lease: Lease) -> list[str]:
    return [_robots_id(lease)] if lease.is_robots else [str(number) for number in lease.request_ids]


def _responses(lease: Lease, answers: dict[str, Answer]) -> list[ReadRecord]:
    return [record for key in _keys(lease) if key in answers for record in answers[key].responses]


def _address(lease: Lease, answers: dict[str, Answer]) -> str:
    """Where the host answered from last, as the node says."""
    responses = _responses(lease, answers)
    return responses[-1].fields.get("warc-ip-address", "") if responses else ""


def _report(
    pace: Pace, lease: Lease, host: Host, answers: dict[str, Answer], interrupted: frozenset[str]
) -> HostReport:
    """The delay is due even if nothing was asked: a node's word for that is no proof. How a host was long ago, when
    a late answer was fetched, says nothing about how it is."""
    if lease.is_over:
        return HostReport(lease.host_id, 0.0)
    responses = _responses(lease, answers)
    latency = _latency(responses[-1]) if responses else None
    delay = _delay(pace, host, latency)
    if not interrupted.isdisjoint(_keys(lease)):
        delay = max(delay, float(value_of(LONGEST_FETCH_SECONDS)))
    return HostReport(host.pk, delay, latency, _backoff(host, responses))


def _delay(pace: Pace, host: Host, latency: float | None) -> float:
    if host.delay_seconds is not None:
        return host.delay_seconds
    return delay_seconds(pace, host.crawl_delay_seconds, latency or host.latency_seconds)


def _latency(record: ReadRecord) -> float | None:
    """As the node measured it; a lie only makes its own host slower or as fast as the floor allows."""
    try:
        return min(3600.0, max(0.0, float(record.fields.get("ronda-total-seconds", ""))))
    except ValueError:
        return None


def _backoff(host: Host, responses: list[ReadRecord]) -> float | None:
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
    return backoff_seconds(incidents, max(wanted), random.Random())  # noqa: S311


def _ended(node: Node, request: EndedRequest, answer: Answer, capture_ids: dict[int, int]) -> Ended:
    if answer.failure:
        return Ended(
            request, Outcome(OutcomeState.FAILED, reason=_reason(answer.failure)[:300], node=node.pk)
        )
    last = answer.last
    fetched = Outcome(
        OutcomeState.FETCHED, status=last.status, capture_id=capture_ids[last.offset], node=node.pk
    )
    return Ended(request, fetched)
