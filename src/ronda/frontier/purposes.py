"""Why a URL is fetched, and who hears of the answer. A room registers its purpose; nobody imports anybody for it."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from ronda.frontier.blocks import EndedRequest
from ronda.frontier.models import Batch

# The reason of an answer that is not whole, though it could be.
CUT_OFF = "cut off by the node's own cap"


class OutcomeState(StrEnum):
    FETCHED = "fetched"
    FAILED = "failed"
    REFUSED = "refused"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class Outcome:
    """What became of a request. A status of 404 or 500 is an answer; `reason` says why there is none, or not all of
    it."""

    state: OutcomeState
    status: int = 0
    reason: str = ""
    capture_id: int | None = None
    node: uuid.UUID | None = None
    # As it was when `capture_id` was made (an older one, if this answer was not put on record).
    is_unchanged: bool = False

    @property
    def is_cut_off(self) -> bool:
        return self.reason == CUT_OFF


@dataclass(frozen=True)
class Ended:
    request: EndedRequest
    outcome: Outcome


@dataclass(frozen=True)
class Belonging:
    """What captures of a batch are kept for."""

    collection_id: int | None = None
    source: uuid.UUID | None = None
    visit: int | None = None


NOBODYS = Belonging()

Listener = Callable[[Batch, Sequence[Ended]], None]
_listeners: dict[str, Listener] = {}
_belongings: dict[str, Callable[[Batch], Belonging]] = {}


def register_purpose(
    name: str, listener: Listener, *, belonging: Callable[[Batch], Belonging] | None = None
) -> None:
    if name in _listeners:
        raise ValueError(f"purpose {name} is registered twice")
    _listeners[name] = listener
    if belonging:
        _belongings[name] = belonging


def keeps_captures(purpose: str) -> bool:
    """Whether what is fetched for it belongs to somebody."""
    return purpose in _belongings


def belonging_of(batch: Batch) -> Belonging:
    """Asked before what a node brought is indexed."""
    found = _belongings.get(batch.purpose)
    return found(batch) if found else NOBODYS


def tell(ended: Iterable[Ended]) -> dict[int, Batch]:
    """Tell each purpose what ended, in the transaction in which it did; returns the batches it was of."""
    ordered = sorted(ended, key=lambda one: one.request.batch_id)
    batches = Batch.objects.in_bulk({one.request.batch_id for one in ordered})
    for batch_id, group in groupby(ordered, key=lambda one: one.request.batch_id):
        batch = batches[batch_id]
        if listener := _listeners.get(batch.purpose):
            listener(batch, list(group))
    return batches
