"""The records of an upload, put together to answers and held against what the node was asked."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import BinaryIO

from django.utils import timezone

from ronda.archive.services import NewCapture
from ronda.frontier import robots
from ronda.frontier.models import Lease, Request
from ronda.frontier.politeness import STATUSES_THAT_ASK_FOR_REST
from ronda.grid import minutes
from ronda.grid.errors import BadUpload
from ronda.grid.leasing import ROBOTS_PREFIX
from ronda.grid.upload_reader import ReadRecord
from ronda_node.reasons import OF_THE_HOST, Reason

PASSING = OF_THE_HOST | {Reason.DISCONNECTED}


@dataclass
class Answer:
    """All records of one request, in order; the last response or failure is what counts."""

    responses: list[ReadRecord] = field(default_factory=list)
    failure: ReadRecord | None = None

    @property
    def last(self) -> ReadRecord:
        return self.failure or self.responses[-1]

    @property
    def reason(self) -> str:
        """Why there is no answer."""
        if self.failure is None:
            return ""
        told = self.failure.block_start.decode("utf-8", "replace")
        return told.partition("reason:")[2].split("\r\n")[0].strip()

    @property
    def outcome(self) -> str:
        """As it is counted: the class of its status, or why there is none."""
        return self.reason if self.failure else minutes.class_of(self.last.status)

    @property
    def is_worth_another_try(self) -> bool:
        if self.failure:
            return self.reason in PASSING
        return self.last.status in STATUSES_THAT_ASK_FOR_REST


def robots_id(lease: Lease) -> str:
    return f"{ROBOTS_PREFIX}{lease.host_id}"


def keys_of(lease: Lease) -> list[str]:
    return [robots_id(lease)] if lease.is_robots else [str(number) for number in lease.request_ids]


def assigned_urls(leases: list[Lease]) -> dict[str, str]:
    """What the node was asked: request id → URL."""
    ids = [number for lease in leases for number in lease.request_ids]
    assigned = {
        str(number): url for number, url in Request.objects.filter(pk__in=ids).values_list("pk", "url")
    }
    for lease in leases:
        if lease.is_robots:
            assigned[robots_id(lease)] = f"{lease.host.scheme}://{lease.host.name}{robots.PATH}"
    return assigned


def answers_by_request(records: list[ReadRecord], assigned: dict[str, str]) -> dict[str, Answer]:
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


def leave_out(upload: BinaryIO, records: list[ReadRecord], answered: set[str]) -> None:
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


def captures_of(records: list[ReadRecord], leases: list[Lease]) -> list[NewCapture]:
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
