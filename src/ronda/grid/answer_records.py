"""The records of an upload, put together to answers and held against what the node was asked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from ronda.frontier.politeness import STATUSES_THAT_ASK_FOR_REST
from ronda.grid import minutes
from ronda.grid.assignments import Assignment
from ronda.grid.errors import BadUpload
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


def answers_by_request(records: list[ReadRecord], assigned: Mapping[str, Assignment]) -> dict[str, Answer]:
    """The records by request; one that was not asked for spoils the whole upload."""
    if len({record.id for record in records}) < len(records):
        raise BadUpload("Two records have the same WARC-Record-ID.")
    answers: dict[str, Answer] = defaultdict(Answer)
    for record in records:
        wanted = assigned.get(record.request_id)
        if wanted is None:
            raise BadUpload(f"{record.url[:200]} was not assigned to this node.")
        is_first = record.request_id not in answers
        if (record.url != wanted.url) if is_first else (_origin(record.url) != _origin(wanted.url)):
            raise BadUpload(f"{record.url[:200]} is not what was assigned.")
        if record.kind == "revisit" and not (is_first and _is_known(record, wanted)):
            raise BadUpload(f"{record.url[:200]} is given as known, and this node was not told so.")
        if record.is_response:
            answers[record.request_id].responses.append(record)
        elif record.kind == "metadata":
            answers[record.request_id].failure = record
        elif is_first:
            raise BadUpload("A request record stands before its response.")
    return dict(answers)


def _is_known(record: ReadRecord, wanted: Assignment) -> bool:
    known = wanted.known if wanted.is_told else None
    return known is not None and record.status == 200 and record.payload_digest == known.digest


def _origin(url: str) -> str:
    return "/".join(url.split("/", 3)[2:3])
