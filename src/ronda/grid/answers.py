"""A node brings its answers: checked against its leases, archived, indexed, and only then acknowledged."""

from __future__ import annotations

import gzip
import uuid
from collections import Counter
from dataclasses import dataclass
from typing import BinaryIO
from urllib.parse import urlsplit

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F

from ronda.accounts.models import Person
from ronda.archive import services as archive
from ronda.archive.payload import payload_of
from ronda.archive.services import FetchedBy
from ronda.frontier import robots
from ronda.frontier import services as frontier
from ronda.frontier.addresses import note_addresses
from ronda.frontier.blocks import Completion, EndedRequest, HostReport, Retry
from ronda.frontier.models import Host, Lease, Request
from ronda.frontier.policies import pace_now
from ronda.frontier.purposes import Ended, Outcome, OutcomeState, tell
from ronda.grid import listening, minutes
from ronda.grid.answer_records import (
    Answer,
    answers_by_request,
    assigned_urls,
    captures_of,
    keys_of,
    leave_out,
    robots_id,
)
from ronda.grid.block_size import note_rate
from ronda.grid.errors import LeaseOver
from ronda.grid.host_reports import address_of, delay_of, report_of
from ronda.grid.listening import Accepted, Brought
from ronda.grid.minutes import Amount
from ronda.grid.models import Node
from ronda.grid.policies import FIRST_RETRY_SECONDS, MOST_ATTEMPTS
from ronda.grid.robots_answers import keep_robots
from ronda.grid.services import note_presence
from ronda.grid.upload_reader import ReadLimits, ReadRecord, read_records
from ronda.policies.queries import value_of

LIMITS = ReadLimits()
BODY_BYTES = 1024**2


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
    leases = list(
        Lease.objects.filter(block=block, node=node.pk).select_related("host").defer("host__robots_text")
    )
    if not leases:
        raise LeaseOver()
    extra = listening.assigned(node, block)
    records = list(read_records(upload, LIMITS))
    assigned = assigned_urls(leases)
    answered = {str(number) for lease in leases for number in lease.request_ids} - assigned.keys()
    if any(record.request_id in answered for record in records):
        leave_out(upload, records, answered)
        records = list(read_records(upload, LIMITS))
    everything = answers_by_request(records, {**assigned, **extra})
    answers = {key: answer for key, answer in everything.items() if key not in extra}
    mixed_in = {key: answer for key, answer in everything.items() if key in extra}
    try:
        listening.inspect(Brought(node, block, mixed_in, len(extra), lambda record: _body_of(record, upload)))
    except LeaseOver:
        _give_back(node, block, leases)
        raise
    interrupted |= _broken_off_beside(leases, interrupted, extra)
    upload.seek(0)
    with archive.writer().appending() as appending, transaction.atomic():
        _take_turn(node, block)
        start = appending.append(upload) if records else 0
        capture_ids = archive.index_captures(
            appending=appending,
            start=start,
            captures=captures_of([record for record in records if record.request_id not in extra], leases),
            fetched_by=FetchedBy(node.pk, node.owner_id),
        )
        hosts = frontier.lock_hosts(lease.host_id for lease in leases)
        keep_robots(
            node.pk,
            hosts,
            {
                lease.host_id: answers.get(robots_id(lease))
                for lease in leases
                if lease.is_robots and not lease.is_over
            },
            upload,
        )
        note_addresses(
            hosts,
            {lease.host_id: address for lease in leases if (address := address_of(lease, answers))},
            are_private_grouped=settings.RONDA.allow_private_networks,
        )
        ended = [
            _ended(node, request, answers[str(request.id)], capture_ids)
            for request in _complete(node, block, leases, hosts, answers, interrupted)
        ]
        tell(ended)
        # What was mixed in counts like the rest (of which robots.txt files do not), or numbers would give it away.
        extra_ended = [
            key for key, answer in mixed_in.items() if key.isdigit() and not answer.is_worth_another_try
        ]
        told = _robots_told(node, leases, answers, capture_ids)
        listening.tell_accepted(Accepted(node, block, ended, len(extra_ended), told))
        count = len(ended) + len(extra_ended)
        keys = [*(str(one.request.id) for one in ended), *extra_ended]
        minutes.count(node_id=node.pk, amounts=_amounts(records, everything, keys))
        Node.objects.filter(pk=node.pk).update(answered=F("answered") + count)
        note_rate(node=node, given_at=min(lease.granted_at for lease in leases), urls=len(everything))
    return Acknowledgement(count)


def _broken_off_beside(
    leases: list[Lease], interrupted: frozenset[str], extra: dict[str, str]
) -> frozenset[str]:
    """What was mixed into a host's work and broken off keeps that host busy like its own."""
    names = {urlsplit(extra[key]).netloc for key in interrupted & extra.keys()}
    return frozenset(key for lease in leases if lease.host.name in names for key in keys_of(lease))


def _give_back(node: Node, block: uuid.UUID, leases: list[Lease]) -> None:
    """Others may have these hosts, after the delay: who is refused may well have asked them."""
    pace = pace_now()
    reports = [HostReport(lease.host_id, delay_of(pace, lease.host, None)) for lease in leases]
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


def _amounts(records: list[ReadRecord], answers: dict[str, Answer], ended: list[str]) -> dict[str, Amount]:
    """URLs that ended, and all bytes that came, robots.txt and what is tried again among them."""
    urls = Counter(answers[key].outcome for key in ended)
    sizes: Counter[str] = Counter()
    for record in records:
        sizes[answers[record.request_id].outcome] += record.length
    return {outcome: Amount(urls[outcome], sizes[outcome]) for outcome in urls | sizes}


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
    most, first_seconds = int(value_of(MOST_ATTEMPTS)), float(value_of(FIRST_RETRY_SECONDS))
    for key, answer in answers.items():
        if not key.isdigit():
            continue
        number = int(key)
        tried = attempts.get(number, 0) + 1
        if answer.is_worth_another_try and tried < most:
            retries.append(Retry(number, first_seconds * 2.0 ** (tried - 1)))
        else:
            done.append(number)
    pace = pace_now()
    reports = [report_of(pace, lease, hosts[lease.host_id], answers, interrupted) for lease in leases]
    return frontier.complete(completion=Completion(node.pk, block, done, retries, reports, node.country))


def _robots_told(
    node: Node, leases: list[Lease], answers: dict[str, Answer], capture_ids: dict[int, int]
) -> list[Ended]:
    told = []
    for lease in leases:
        answer = answers.get(robots_id(lease)) if lease.is_robots else None
        if answer:
            url = f"{lease.host.scheme}://{lease.host.name}{robots.PATH}"
            request = EndedRequest(id=frontier.NEVER_QUEUED, batch_id=0, url=url, copy="", attempts=0)
            told.append(_ended(node, request, answer, capture_ids))
    return told


def _ended(node: Node, request: EndedRequest, answer: Answer, capture_ids: dict[int, int]) -> Ended:
    if answer.failure:
        return Ended(request, Outcome(OutcomeState.FAILED, reason=answer.reason[:300], node=node.pk))
    last = answer.last
    fetched = Outcome(
        OutcomeState.FETCHED, status=last.status, capture_id=capture_ids[last.offset], node=node.pk
    )
    return Ended(request, fetched)
