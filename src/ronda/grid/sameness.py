"""Answers that say a page is as the archive has it: 304, or the payload whose digest was known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ronda.archive.revisits import KnownCapture, known_captures
from ronda.grid.answer_records import Answer
from ronda.grid.assignments import Assignment
from ronda.grid.upload_reader import ReadRecord


@dataclass(frozen=True)
class Sameness:
    """By request id: what pages are the same as; and answers that cannot be used, for what they were compared with was
    found to be wrong meanwhile."""

    same: dict[str, KnownCapture] = field(default_factory=dict)
    stale: frozenset[str] = frozenset()


def sameness_of(answers: Mapping[str, Answer], assigned: Mapping[str, Assignment]) -> Sameness:
    """Of the first step of each: where a page redirects to was never compared."""
    claims = {
        key: (known.capture_id, answer.responses[0])
        for key, answer in answers.items()
        if (known := assigned[key].known)
        and answer.responses
        and _is_same(answer.responses[0], assigned[key])
    }
    found = known_captures({capture_id for capture_id, _first in claims.values()})
    same = {key: found[number] for key, (number, _first) in claims.items() if number in found}
    stale = {key for key, (_number, first) in claims.items() if key not in same and not _has_payload(first)}
    return Sameness(same, frozenset(stale))


def _is_same(first: ReadRecord, assignment: Assignment) -> bool:
    known = assignment.known
    if first.status == 304:
        return assignment.is_conditional
    return bool(
        known
        and first.status == 200
        and first.payload_digest == known.digest
        and not first.fields.get("warc-truncated")
    )


def _has_payload(record: ReadRecord) -> bool:
    return record.kind == "response" and record.status != 304
