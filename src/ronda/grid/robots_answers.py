"""What a host's robots.txt turned out to be, kept with the host (RFC 9309 §2.3.1)."""

from __future__ import annotations

import gzip
import uuid
from collections.abc import Mapping, Sequence
from functools import partial
from typing import BinaryIO

from django.db import transaction

from ronda.archive.payload import payload_of
from ronda.frontier import robots, robots_keeping
from ronda.frontier.models import Host, Lease, RobotsState
from ronda.grid.answer_records import Answer
from ronda.grid.assignments import robots_id
from ronda.grid.models import Node
from ronda.grid.presence import alike, at_work
from ronda.grid.robots_elsewhere import ask_there, state_of, target_of
from ronda.grid.upload_reader import ReadRecord


def keep_robots(
    node: Node,
    leases: Sequence[Lease],
    hosts: Mapping[int, Host],
    answers: Mapping[str, Answer],
    upload: BinaryIO,
) -> None:
    """A host whose robots.txt was not even asked for (given back) stays as it was, and comes first next time."""
    for lease in leases:
        answer = answers.get(robots_id(lease)) if lease.is_robots and not lease.is_over else None
        if answer is not None:
            _keep(node, lease, hosts[lease.host_id], answer, upload)


def _keep(node: Node, lease: Lease, host: Host, answer: Answer, upload: BinaryIO) -> None:
    if answer.failure:
        robots_keeping.keep_failure(host, answer.reason)
        return
    last = answer.last
    host.robots_way = []
    if target := target_of(host, last.url, last.status, last.http_fields.get("location", "")):
        robots_keeping.keep_way(host, target.text, node=node.pk)
        transaction.on_commit(partial(ask_there, host.pk, target), robust=True)
        return
    state = state_of(last.status)
    text = robots.decode(_body(last, upload)) if state is RobotsState.RULES else ""
    tellers = alike(node)
    if not lease.is_trusted and _keeps_us_out(host, state, text) and _can_be_confirmed(host, tellers):
        robots_keeping.ask_for_confirmation(host, tellers=tellers)
    else:
        robots_keeping.keep_rules(
            host, state, text, node=node.pk, is_trusted=lease.is_trusted, tellers=tellers
        )


def _keeps_us_out(host: Host, state: RobotsState, text: str) -> bool:
    """Nothing of the host would be fetched, because one node says so that nobody knows yet."""
    root = f"{host.scheme}://{host.name}/"
    return state is RobotsState.UNREACHABLE or (bool(text) and robots.refusal_of(text, root) is not None)


def _can_be_confirmed(host: Host, tellers: list[uuid.UUID]) -> bool:
    """Somebody else is there. Only once: the next answer is another's, or nobody else came in time."""
    return host.robots_failure != robots_keeping.UNCONFIRMED and at_work().exclude(pk__in=tellers).exists()


def _body(record: ReadRecord, upload: BinaryIO) -> bytes:
    upload.seek(record.offset)
    return payload_of(gzip.decompress(upload.read(record.length)), robots.MAX_BYTES)
