"""A node brings its answers: checked against its leases, archived, indexed, and only then acknowledged."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import BinaryIO
from urllib.parse import urlsplit

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.archive import services as archive
from ronda.archive.reading import payload_at
from ronda.archive.services import FetchedBy
from ronda.archive.warc_writer import Appending
from ronda.frontier import arrivals, robots
from ronda.frontier import services as frontier
from ronda.frontier.addresses import note_addresses
from ronda.frontier.blocks import Completion, EndedRequest, Held, HostReport
from ronda.frontier.leases import complete, lock_hosts, note_brought
from ronda.frontier.models import Host, Lease, Request
from ronda.frontier.policies import pace_now
from ronda.frontier.purposes import CUT_OFF, Ended, Outcome, OutcomeState, tell
from ronda.frontier.queries import held_in
from ronda.grid import listening, minutes
from ronda.grid.answer_records import Answer, answers_by_request
from ronda.grid.assignments import Assignment, assignments_of, keys_of, robots_id
from ronda.grid.block_size import note_work
from ronda.grid.claims import Possible, refuse_impossible
from ronda.grid.errors import LeaseOver
from ronda.grid.host_reports import address_of, delay_of, note_rests, note_unreached, report_of, word_of
from ronda.grid.keeping import Keeping, keep
from ronda.grid.listening import Accepted, Brought
from ronda.grid.minutes import Amount
from ronda.grid.models import Node
from ronda.grid.redating import Redating
from ronda.grid.retrying import Plan, is_cut, plan_for
from ronda.grid.robots_answers import keep_robots
from ronda.grid.services import note_presence
from ronda.grid.upload_reader import ReadLimits, ReadRecord, read_records
from ronda.policies.queries import read_at_once

LIMITS = ReadLimits()
BODY_BYTES = 1024**2
# Fewer answers are taken in sooner than another block is worth: a small site would come in many.
GOES_ON_FROM = 64
STALE = "what it was compared with was found to be wrong"


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
    leases = held_in(node=node.pk, block=block)
    if not leases:
        raise LeaseOver()
    brought = _read(node, block, leases, upload, interrupted)
    try:
        listening.inspect(
            Brought(
                node,
                block,
                brought.mixed_in,
                brought.mixed_in_count,
                lambda record: _body_of(record, upload),
                asked=len(brought.assigned),
                answered=len(brought.answers),
            )
        )
    except LeaseOver:
        _give_back(node, block, leases)
        raise
    if len(brought.answers) >= GOES_ON_FROM and brought.is_untroubled:
        note_brought(node=node.pk, block=block)
    with (
        Redating(upload, brought.granted_at, timezone.now()) as redating,
        archive.writer().appending() as appending,
        transaction.atomic(),
    ):
        _take_turn(node, block)
        # Its hosts are free again: whoever waits may look.
        transaction.on_commit(partial(arrivals.line.call, 1, besides=node.pk))
        with read_at_once():
            return _accept(brought, redating, appending)


@dataclass(frozen=True)
class _Upload:
    """What came, read and found to be answers to what was asked. `mixed_in`: those to what others put in between."""

    node: Node
    block: uuid.UUID
    leases: list[Held]
    body: BinaryIO
    records: list[ReadRecord]
    assigned: dict[str, Assignment]
    answers: dict[str, Answer]
    mixed_in: dict[str, Answer]
    mixed_in_count: int
    interrupted: frozenset[str]

    @property
    def is_untroubled(self) -> bool:
        """Every host answered, wants no rest, and is busy with nothing that was broken off."""
        return not self.interrupted and all(
            answer.responses and not answer.failure and not answer.is_worth_another_try
            for answer in self.answers.values()
        )

    @property
    def granted_at(self) -> datetime:
        return min(lease.granted_at for lease in self.leases)


def _read(
    node: Node, block: uuid.UUID, leases: list[Held], body: BinaryIO, interrupted: frozenset[str]
) -> _Upload:
    extra = listening.assigned(node, block)
    assigned = assignments_of(leases)
    # What others answered meanwhile is left out: what was asked is no longer known, so it cannot be checked.
    answered = {str(number) for lease in leases for number in lease.request_ids} - assigned.keys()
    records: list[ReadRecord] = []
    asked = assigned | {key: Assignment(url) for key, url in extra.items()}
    everything = answers_by_request(_noted(read_records(body, LIMITS), records, answered), asked)
    asked_at = min(lease.granted_at for lease in leases)
    refuse_impossible(records, Possible(asked_at, timezone.now(), settings.RONDA.allow_private_networks))
    answers = {key: answer for key, answer in everything.items() if key not in extra}
    mixed_in = {key: answer for key, answer in everything.items() if key in extra}
    interrupted |= _broken_off_beside(leases, interrupted, extra)
    return _Upload(node, block, leases, body, records, assigned, answers, mixed_in, len(extra), interrupted)


def _noted(
    found: Iterable[ReadRecord], records: list[ReadRecord], left_out: Set[str]
) -> Iterator[ReadRecord]:
    """Each is held against what was asked before the next is read: who brings anything else fills no memory with it."""
    for record in found:
        if record.request_id not in left_out:
            records.append(record)
            yield record


def _broken_off_beside(
    leases: list[Held], interrupted: frozenset[str], extra: dict[str, str]
) -> frozenset[str]:
    """What was mixed into a host's work and broken off keeps that host busy like its own."""
    names = {urlsplit(extra[key]).netloc for key in interrupted & extra.keys()}
    return frozenset(key for lease in leases if lease.host_name in names for key in keys_of(lease))


def _accept(brought: _Upload, redating: Redating, appending: Appending) -> Acknowledgement:
    """In the transaction in which all of it stands or falls."""
    node, leases, answers = brought.node, brought.leases, brought.answers
    keeping = keep(brought.records, answers, brought.assigned, redating)
    capture_ids = _archive(brought, keeping, appending)
    hosts = lock_hosts(lease.host_id for lease in leases)
    keep_robots(node, leases, hosts, answers, brought.body)
    note_unreached(node, leases, hosts, answers)
    note_addresses(
        hosts,
        {lease.host_id: address for lease in leases if (address := address_of(lease, answers))},
        are_private_grouped=settings.RONDA.allow_private_networks,
    )
    plan = plan_for(node, answers, keeping.sameness.stale)
    ended, put_off = (
        [
            Ended(request, _outcome(node, answers[str(request.id)], str(request.id), keeping, capture_ids))
            for request in requests
        ]
        for requests in (_complete(brought, hosts, plan, keeping.sameness.stale), plan.put_off)
    )
    batches = tell(ended)
    # What was mixed in counts like the rest (of which robots.txt files do not), or numbers would give it away.
    extra_ended = [
        key for key, answer in brought.mixed_in.items() if key.isdigit() and not answer.is_worth_another_try
    ]
    told = _robots_told(brought, keeping, capture_ids)
    listening.tell_accepted(Accepted(node, brought.block, ended, len(extra_ended), told, put_off, batches))
    keys = [*(str(one.request.id) for one in ended), *extra_ended]
    everything = answers | brought.mixed_in
    minutes.count(node_id=node.pk, amounts=_amounts(brought.records, everything, keys))
    note_work(node=node, given_at=brought.granted_at, urls=len(everything), ended=len(keys))
    return Acknowledgement(len(keys))


def _archive(brought: _Upload, keeping: Keeping, appending: Appending) -> dict[int, int]:
    """On disk first, then in the index. Returns the ids of the captures, by where they lie."""
    fetched_by = FetchedBy(brought.node.pk, brought.node.owner_id)
    keeping.note(brought.block, fetched_by)
    if not keeping.parts:
        return {}
    return archive.index_captures(
        appending=appending,
        start=appending.append_pieces(keeping.pieces(brought.body)),
        captures=keeping.captures,
        fetched_by=fetched_by,
    )


def _give_back(node: Node, block: uuid.UUID, leases: list[Held]) -> None:
    """Others may have these hosts, after the delay: who is refused may well have asked them."""
    pace = pace_now()
    hosts = Host.objects.defer("robots_text").in_bulk([lease.host_id for lease in leases])
    reports = [HostReport(host.pk, delay_of(pace, host, None)) for host in hosts.values()]
    complete(completion=Completion(node.pk, block, [], [], reports))


def _body_of(record: ReadRecord, upload: BinaryIO) -> bytes:
    return payload_at(upload, offset=record.offset, length=record.length, most_bytes=BODY_BYTES)


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
    brought: _Upload, hosts: dict[int, Host], plan: Plan, stale: frozenset[str]
) -> list[EndedRequest]:
    node = brought.node
    if stale:
        Request.objects.filter(pk__in=[int(key) for key in stale]).update(known=None)
    if plan.elsewhere:
        frontier.ask_others(request_ids=plan.elsewhere, not_owner=node.owner_id)
    if plan.cut_off:
        frontier.ask_uncapped(request_ids=plan.cut_off)
    pace = pace_now()
    word = word_of(node)
    reports = [
        report_of(pace, lease, hosts[lease.host_id], brought.answers, brought.interrupted, word)
        for lease in brought.leases
    ]
    is_trusted = all(lease.is_trusted for lease in brought.leases)
    note_rests(node, hosts, reports, is_enough=is_trusted and word.is_alone)
    return complete(
        completion=Completion(node.pk, brought.block, plan.done, plan.retries, reports, node.country)
    )


def _robots_told(brought: _Upload, keeping: Keeping, capture_ids: dict[int, int]) -> list[Ended]:
    told = []
    for lease in brought.leases:
        key = robots_id(lease)
        answer = brought.answers.get(key) if lease.is_robots else None
        if answer:
            url = f"{lease.scheme}://{lease.host_name}{robots.PATH}"
            request = EndedRequest(id=frontier.NEVER_QUEUED, batch_id=0, url=url, copy="", attempts=0)
            told.append(Ended(request, _outcome(brought.node, answer, key, keeping, capture_ids)))
    return told


def _outcome(node: Node, answer: Answer, key: str, keeping: Keeping, capture_ids: dict[int, int]) -> Outcome:
    if answer.failure:
        return Outcome(OutcomeState.FAILED, reason=answer.reason[:300], node=node.pk)
    if key in keeping.sameness.stale:
        return Outcome(OutcomeState.FAILED, reason=STALE, node=node.pk)
    last, known = answer.last, keeping.sameness.same.get(key)
    where = keeping.moved.get(last.offset)
    return Outcome(
        OutcomeState.FETCHED,
        status=known.status if known else last.status,
        reason=CUT_OFF if is_cut(node, answer) else "",
        capture_id=known.id if known and where is None else capture_ids[where or 0],
        node=node.pk,
        is_unchanged=known is not None,
    )
