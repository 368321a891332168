"""What is handed out and what comes back, as the frontier and the grid speak of it."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple


@dataclass(frozen=True)
class Known:
    """What the archive holds of a URL: nodes that are trusted are told, so that an unchanged page costs nothing."""

    capture_id: int
    digest: str
    etag: str = ""
    last_modified: str = ""


@dataclass(frozen=True)
class Wanted:
    """One URL to put in: its canonical text and the host it stands before; and who may fetch it.

    A batch takes a URL once, or once per `copy`: the same page from two countries, or checked by a second person.
    `known`: ask only for what is new. `is_kept_unchanged`: an answer that is as it was is put on record, too.
    """

    url: str
    host: str
    scheme: str
    copy: str = ""
    country: str = ""
    not_owners: tuple[int, ...] = ()
    is_for_trusted: bool = False
    known: Known | None = None
    is_kept_unchanged: bool = True


@dataclass(frozen=True)
class LeasedRequest:
    """One URL of a block. A robots.txt has no request of its own: its id is None."""

    id: int | None
    url: str
    attempts: int
    # Told to nodes that are trusted, and to no others.
    known: Known | None = None


class Held(NamedTuple):
    """A node's hold on a host, as far as answers are held against it. A row and no object: a block has thousands."""

    host_id: int
    host_name: str
    scheme: str
    request_ids: list[int]
    is_robots: bool
    is_trusted: bool
    is_over: bool
    granted_at: datetime


@dataclass
class LeasedHost:
    """A host that a node holds, with the URLs it may fetch there, one after the other."""

    lease_id: int
    host_id: int
    name: str
    is_robots: bool
    delay_seconds: float
    requests: list[LeasedRequest] = field(default_factory=list)
    # Its robots.txt: the rules hold for redirects, too.
    robots: str = ""
    # A director said how far apart, however long its answers take.
    has_set_delay: bool = False


@dataclass(frozen=True)
class Claimant:
    """Who asks for work: some requests are only for a country or for trusted nodes, or not for a person.

    `is_uncapped`: it takes as much of an answer as the server does.
    """

    node: uuid.UUID
    owner: int
    country: str = ""
    continent: str = ""
    is_trusted: bool = False
    is_uncapped: bool = True


@dataclass(frozen=True)
class BlockSize:
    """How much a node wants."""

    hosts: int
    urls: int
    lease_seconds: float
    guard_seconds: float
    # Of one host, only so many URLs as keep it busy for this long, so that no lease is all waiting.
    busy_seconds: float
    # Who holds a URL for longer than this is a straggler: where a host may be held by several, another may try.
    straggler_seconds: float = 30.0


@dataclass(frozen=True)
class Glance:
    """What there is to be had: whether something is now, and when a host with work is free (never without work)."""

    is_free: bool
    due_seconds: float | None


@dataclass(frozen=True)
class Extension:
    """How long a node that is still at work keeps what it holds; `most_leases` in a row, then others shall try."""

    lease_seconds: float
    guard_seconds: float
    most_leases: int


@dataclass(frozen=True)
class HostReport:
    """How a host behaved under a lease. `backoff_seconds`: it asked for rest, for the n-th time in a row (`incidents`).
    `learned_delay_seconds`: from now on; 0: none any more; None: as it was."""

    host_id: int
    delay_seconds: float
    latency_seconds: float | None = None
    backoff_seconds: float | None = None
    incidents: int = 1
    learned_delay_seconds: float | None = None


@dataclass(frozen=True)
class Retry:
    request_id: int
    after_seconds: float


@dataclass(frozen=True)
class Completion:
    """What a node is done with."""

    node: uuid.UUID
    block: uuid.UUID
    done: list[int]
    retries: list[Retry]
    hosts: list[HostReport]
    country: str = ""


@dataclass(frozen=True)
class EndedRequest:
    """A request that left the queue by this completion, and by no other."""

    id: int
    batch_id: int
    url: str
    copy: str
    attempts: int
