"""What a host's robots.txt turned out to be, kept with the host (RFC 9309 §2.3.1)."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from functools import partial
from typing import BinaryIO

from django.db import transaction
from django.utils import timezone

from ronda.archive.reading import payload_at
from ronda.frontier import robots, robots_keeping
from ronda.frontier.blocks import Held
from ronda.frontier.models import Host, RobotsState
from ronda.grid.answer_records import Answer
from ronda.grid.assignments import robots_id
from ronda.grid.models import Node
from ronda.grid.presence import alike, ready
from ronda.grid.robots_elsewhere import ask_there, state_of, target_of
from ronda.grid.upload_reader import ReadRecord


def keep_robots(
    node: Node,
    leases: Sequence[Held],
    hosts: Mapping[int, Host],
    answers: Mapping[str, Answer],
    upload: BinaryIO,
) -> None:
    """A host whose robots.txt was not even asked for (given back) stays as it was, and comes first next time."""
    for lease in leases:
        answer = answers.get(robots_id(lease)) if lease.is_robots and not lease.is_over else None
        if answer is not None:
            _keep(node, lease, hosts[lease.host_id], answer, upload)


def _keep(node: Node, lease: Held, host: Host, answer: Answer, upload: BinaryIO) -> None:
    if answer.failure:
        robots_keeping.keep_failure(host, answer.reason)
        return
    last = answer.last
    host.robots_way = []
    target = target_of(host, last.url, last.status, last.http_fields.get("location", ""))
    state = RobotsState.ELSEWHERE if target else state_of(last.status)
    text = robots.decode(_body(last, upload)) if state is RobotsState.RULES else ""
    said = target.text if target else text
    tellers = alike(node)
    if not lease.is_trusted and not _is_confirmed(host, state, said) and _can_be_confirmed(host, tellers):
        robots_keeping.ask_for_confirmation(host, state, said, tellers=tellers)
    elif target:
        robots_keeping.keep_way(host, target.text, node=node.pk)
        transaction.on_commit(partial(ask_there, host.pk, target), robust=True)
    else:
        robots_keeping.keep_rules(
            host, state, text, node=node.pk, is_trusted=lease.is_trusted, tellers=tellers
        )


def _is_confirmed(host: Host, state: RobotsState, text: str) -> bool:
    """It is what the one before said, or what was good until now. Else one node that nobody knows yet would keep all of
    us out of a host, or have us fetch what is not allowed."""
    is_as_before = (host.robots_state, host.robots_text) == (state, text)
    return is_as_before or host.robots_failure == robots_keeping.unconfirmed(state, text)


def _can_be_confirmed(host: Host, tellers: list[uuid.UUID]) -> bool:
    """Somebody is there who has not had their say, nor failed to reach it; and there was time left for them to come."""
    now = timezone.now()
    has_asked = host.robots_failure.startswith(robots_keeping.UNCONFIRMED)
    if has_asked and host.robots_others_until and host.robots_others_until <= now:
        return False
    tried = {*tellers, *(host.robots_tried if has_asked else ())}
    if host.avoided_until and host.avoided_until > now:
        tried |= set(host.avoided_nodes)
    return ready().exclude(pk__in=tried).exists()


def _body(record: ReadRecord, upload: BinaryIO) -> bytes:
    return payload_at(upload, offset=record.offset, length=record.length, most_bytes=robots.MAX_BYTES)
