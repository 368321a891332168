"""Answers that a node's own caps cut off: there is more of them, and another node may bring it.

What our own caps cut off, on bytes, on seconds, or on what a body unfolds to, is as whole as it can be; and where the
host broke off or stalled, what came is its answer.
"""

from __future__ import annotations

from django.db.models import Q, QuerySet

from ronda.grid.models import Node
from ronda.grid.policies import LONGEST_FETCH_SECONDS
from ronda.grid.presence import at_work
from ronda.grid.upload_reader import ReadRecord
from ronda.policies.queries import value_of
from ronda_node.limits import Limits
from ronda_node.outcomes import Truncation

# No node takes more than this, whatever its owner says.
MOST_BYTES = Limits().wire_bytes


def is_uncapped(node: Node) -> bool:
    """Whether it takes as much of an answer as anybody may."""
    return not _takes_fewer_bytes(node) and not _takes_less_time(node)


def uncapped_beside(node: Node) -> QuerySet[Node]:
    """Who is there that would not cut off what this node did. One that says it takes all and does not is no better with
    its person's other machines."""
    large = Q(response_bytes=None) | Q(response_bytes__gte=MOST_BYTES)
    patient = Q(response_seconds=None) | Q(response_seconds__gte=_most_seconds())
    found = at_work().filter(large, patient)
    return found.exclude(owner=node.owner_id) if is_uncapped(node) else found


def is_cut_by(node: Node, record: ReadRecord) -> bool:
    match record.fields.get("warc-truncated"):
        case Truncation.LENGTH:
            is_bomb = "content-encoding" in record.http_fields and not _takes_fewer_bytes(node)
            return record.payload_bytes < MOST_BYTES and not is_bomb
        case Truncation.TIME:
            return _takes_less_time(node)
    return False


def _takes_fewer_bytes(node: Node) -> bool:
    return node.response_bytes is not None and node.response_bytes < MOST_BYTES


def _takes_less_time(node: Node) -> bool:
    return node.response_seconds is not None and node.response_seconds < _most_seconds()


def _most_seconds() -> float:
    return min(Limits().total_seconds, float(value_of(LONGEST_FETCH_SECONDS)))
