"""The records of an upload, put together to answers and held against what the node was asked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ronda.frontier.politeness import STATUSES_THAT_ASK_FOR_REST
from ronda.grid import minutes
from ronda.grid.assignments import Assignment
from ronda.grid.errors import BadUpload
from ronda.grid.upload_reader import ReadRecord
from ronda_node.errors import UrlRefused
from ronda_node.policy import ANYWHERE
from ronda_node.reasons import OF_THE_HOST, Reason
from ronda_node.redirects import target_of
from ronda_node.urls import canonicalise

# More than any node follows.
MOST_RESPONSES = 10
PASSING = OF_THE_HOST | {Reason.DISCONNECTED}
UNAVAILABLE = 503


@dataclass
class Answer:
    """All records of one request, in order; the last response or failure is what counts."""

    responses: list[ReadRecord] = field(default_factory=list)
    failure: ReadRecord | None = None
    requests: int = 0

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
    def is_denial(self) -> bool:
        """There is nothing to be had: what one whom nobody knows yet may say to keep others from it. Not 429, which is
        said to whoever asked."""
        return bool(self.failure) or self.last.status == UNAVAILABLE

    @property
    def is_worth_another_try(self) -> bool:
        if self.failure:
            return self.reason in PASSING
        return self.last.status in STATUSES_THAT_ASK_FOR_REST


def answers_by_request(
    records: Iterable[ReadRecord], assigned: Mapping[str, Assignment]
) -> dict[str, Answer]:
    """The records by request, as they come; one that was not asked for spoils the upload, and ends its reading."""
    answers: dict[str, Answer] = defaultdict(Answer)
    ids: set[str] = set()
    for record in records:
        if record.id in ids:
            raise BadUpload("Two records have the same WARC-Record-ID.")
        ids.add(record.id)
        wanted = assigned.get(record.request_id)
        if wanted is None:
            raise BadUpload(f"{record.url[:200]} was not assigned to this node.")
        answer = answers[record.request_id]
        if record.kind == "request":
            _take_request(answer, record)
            continue
        _refuse_strange_step(answer, record, wanted)
        if record.is_response:
            answer.responses.append(record)
        else:
            answer.failure = record
            _refuse_strange_reason(answer)
    return dict(answers)


def _take_request(answer: Answer, record: ReadRecord) -> None:
    """One behind each response, and of the same URL."""
    answer.requests += 1
    if answer.requests > len(answer.responses):
        raise BadUpload("A request record stands before its response.")
    if record.url != answer.responses[-1].url:
        raise BadUpload(f"{record.url[:200]} is not what the response before it answers.")
    _refuse_other_number(record, len(answer.responses) - 1)


def _refuse_strange_step(answer: Answer, record: ReadRecord, wanted: Assignment) -> None:
    """What was asked for first, then where each answer leads: a node does not choose what it brings."""
    if answer.failure or len(answer.responses) == MOST_RESPONSES:
        raise BadUpload(f"{record.url[:200]} stands behind the end of its answer.")
    _refuse_other_number(record, len(answer.responses))
    is_first = not answer.responses
    if record.url != (wanted.url if is_first else _target_of(answer.responses[-1])):
        raise BadUpload(f"{record.url[:200]} is not what was assigned.")
    if record.kind == "revisit" and not (is_first and _is_known(record, wanted)):
        raise BadUpload(f"{record.url[:200]} is given as known, and this node was not told so.")


def _refuse_other_number(record: ReadRecord, position: int) -> None:
    """Steps are counted from 0, and none is left out."""
    if record.fields.get("ronda-step", str(position)) != str(position):
        raise BadUpload(f"{record.url[:200]} is step {position} of its answer, and says otherwise.")


def _refuse_strange_reason(answer: Answer) -> None:
    if answer.reason not in set(Reason):
        raise BadUpload(f"{answer.reason[:40]!r} is no reason that nodes give.")


def _target_of(response: ReadRecord) -> str | None:
    """Where on its own host a response leads, if it does."""
    location = response.http_fields.get("location", "").encode("latin-1")
    try:
        url = canonicalise(response.url, ANYWHERE)
        target = target_of(url, response.status, location, ANYWHERE)
    except UrlRefused:
        return None
    return target.text if target and url.is_same_host(target) else None


def _is_known(record: ReadRecord, wanted: Assignment) -> bool:
    known = wanted.known if wanted.is_told else None
    return known is not None and record.status == 200 and record.payload_digest == known.digest
