"""Why a URL is fetched, and who hears of the answer. A room registers its purpose; nobody imports anybody for it."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from ronda.frontier.blocks import EndedRequest
from ronda.frontier.models import Batch


class OutcomeState(StrEnum):
    FETCHED = "fetched"
    FAILED = "failed"
    REFUSED = "refused"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class Outcome:
    """What became of a request. A status of 404 or 500 is an answer; `reason` says why there is none."""

    state: OutcomeState
    status: int = 0
    reason: str = ""
    capture_id: int | None = None
    node: uuid.UUID | None = None


@dataclass(frozen=True)
class Ended:
    request: EndedRequest
    outcome: Outcome


Listener = Callable[[Batch, Sequence[Ended]], None]
_listeners: dict[str, Listener] = {}


def register_purpose(name: str, listener: Listener) -> None:
    if name in _listeners:
        raise ValueError(f"purpose {name} is registered twice")
    _listeners[name] = listener


def tell(ended: Iterable[Ended]) -> None:
    """Tell each purpose what ended, in the transaction in which it did."""
    ordered = sorted(ended, key=lambda one: one.request.batch_id)
    batches = Batch.objects.in_bulk({one.request.batch_id for one in ordered})
    for batch_id, group in groupby(ordered, key=lambda one: one.request.batch_id):
        batch = batches[batch_id]
        if listener := _listeners.get(batch.purpose):
            listener(batch, list(group))
