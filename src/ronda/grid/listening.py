"""Who else has a say when work is given and answers come: rooms above the grid, such as trust and credits.

A room registers one listener and overrides what it cares for. Everything but `inspect` is called inside the
transaction it is about, so that what a listener writes stands or falls with it.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from operator import and_
from typing import TYPE_CHECKING

from django.db.models import Q

from ronda.frontier.blocks import LeasedHost
from ronda.frontier.models import Batch
from ronda.frontier.purposes import Ended

if TYPE_CHECKING:
    from ronda.grid.answer_records import Answer
    from ronda.grid.models import Fetch, FetchAnswer, Node
    from ronda.grid.upload_reader import ReadRecord


@dataclass(frozen=True)
class Terms:
    """On what terms a node gets work. `refusal`: none at all, and why. `is_trusted`: also what is for trusted nodes."""

    refusal: str = ""
    most_urls: int | None = None
    is_trusted: bool = True


@dataclass(frozen=True)
class Brought:
    """What a node uploaded, read and found well-formed; nothing of it is stored yet.

    `extra`: answers to what listeners mixed in, of `extra_wanted`. `body_of` gives the decoded body of a response, as
    far as the cap. `asked` and `answered`: how many other URLs of the block there were, and came.
    """

    node: Node
    block: uuid.UUID
    extra: Mapping[str, Answer]
    extra_wanted: int
    body_of: Callable[[ReadRecord], bytes]
    asked: int = 0
    answered: int = 0


@dataclass(frozen=True)
class Accepted:
    """Requests that ended by an upload, with what became of them. `extra_count`: answers to what was mixed in.

    `robots`: what came of robots.txt files, in the same form; they were never queued. `put_off`: failures, and hosts
    said to be unavailable, that did not end their requests.
    """

    node: Node
    block: uuid.UUID
    ended: Sequence[Ended]
    extra_count: int = 0
    robots: Sequence[Ended] = ()
    put_off: Sequence[Ended] = ()
    batches_ended: Mapping[int, Batch] = field(default_factory=dict)

    @cached_property
    def batches(self) -> dict[int, Batch]:
        """Those of `ended` and `put_off`; some are known already."""
        wanted = {one.request.batch_id for one in (*self.ended, *self.put_off)} - self.batches_ended.keys()
        return {**self.batches_ended, **(Batch.objects.in_bulk(wanted) if wanted else {})}

    def is_for(self, purpose: str, one: Ended) -> bool:
        return self.batches[one.request.batch_id].purpose == purpose


@dataclass(frozen=True)
class Voided:
    """Answers of a node to one fetch that no longer count, as they were before."""

    node: Node
    fetch: Fetch
    answers: Sequence[FetchAnswer]


@dataclass(frozen=True)
class Replaced:
    """An answer of a fetch that no longer counts, and the one that a node brought in its place."""

    node: Node
    former: FetchAnswer
    answer: FetchAnswer


class Listener:
    """Hears of everything, and minds nothing."""

    def terms(self, node: Node) -> Terms:
        return Terms()

    def mix_in(self, node: Node, block: uuid.UUID, hosts: list[LeasedHost]) -> list[LeasedHost]:
        """What else the node is to do; looks like the rest."""
        return []

    def assigned(self, node: Node, block: uuid.UUID) -> dict[str, str]:
        """What was mixed into that block: request id → URL."""
        return {}

    def inspect(self, brought: Brought) -> None:
        """Before anything is stored; an error refuses the whole upload."""

    def accepted(self, accepted: Accepted) -> None: ...

    def is_work_near(self) -> bool:
        """Whether more will be queued in a moment, so that nodes with nothing to do had better not sleep long."""
        return False

    def fetch_created(self, fetch: Fetch, queued: int) -> None:
        """An error keeps the fetch from being made."""

    def voided(self, voided: Voided) -> None: ...

    def replaced(self, replaced: Replaced) -> None:
        """Told after `voided`, of the former answer."""

    def believed_captures(self) -> Q:
        """Which captures others may be answered with, instead of fetching."""
        return Q()


_listeners: list[Listener] = []


def register_listener(listener: Listener) -> None:
    _listeners.append(listener)


def terms_for(node: Node) -> Terms:
    """The strictest of what anybody says."""
    said = [listener.terms(node) for listener in _listeners]
    return Terms(
        refusal=next((terms.refusal for terms in said if terms.refusal), ""),
        most_urls=min((terms.most_urls for terms in said if terms.most_urls is not None), default=None),
        is_trusted=all(terms.is_trusted for terms in said),
    )


def mixed_in(node: Node, block: uuid.UUID, hosts: list[LeasedHost]) -> list[LeasedHost]:
    return [host for listener in _listeners for host in listener.mix_in(node, block, hosts)]


def assigned(node: Node, block: uuid.UUID) -> dict[str, str]:
    return {key: url for listener in _listeners for key, url in listener.assigned(node, block).items()}


def inspect(brought: Brought) -> None:
    for listener in _listeners:
        listener.inspect(brought)


def tell_accepted(accepted: Accepted) -> None:
    for listener in _listeners:
        listener.accepted(accepted)


def is_work_near() -> bool:
    return any(listener.is_work_near() for listener in _listeners)


def tell_fetch_created(fetch: Fetch, queued: int) -> None:
    for listener in _listeners:
        listener.fetch_created(fetch, queued)


def believed_captures() -> Q:
    """What all of them believe."""
    return reduce(and_, (listener.believed_captures() for listener in _listeners), Q())


def tell_voided(voided: Voided) -> None:
    for listener in _listeners:
        listener.voided(voided)


def tell_replaced(replaced: Replaced) -> None:
    for listener in _listeners:
        listener.replaced(replaced)
