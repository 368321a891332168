"""What a host's robots.txt turned out to be, kept with the host (RFC 9309 §2.3.1)."""

from __future__ import annotations

import gzip
import uuid
from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, BinaryIO

from django.utils import timezone

from ronda.archive.payload import payload_of
from ronda.frontier import robots
from ronda.frontier.models import Host, RobotsState
from ronda.grid.upload_reader import ReadRecord

if TYPE_CHECKING:
    from ronda.grid.answer_records import Answer


def keep_robots(
    node: uuid.UUID, hosts: Mapping[int, Host], answers: Mapping[int, Answer | None], upload: BinaryIO
) -> None:
    """A host whose robots.txt was not even asked for (given back) stays as it was, and comes first next time."""
    for host_id, answer in answers.items():
        if answer is not None:
            hosts[host_id].robots_node = node
            _keep(hosts[host_id], answer, upload)


def _keep(host: Host, answer: Answer, upload: BinaryIO) -> None:
    state, text = _state_of(answer, upload)
    is_there = state != RobotsState.UNREACHABLE
    life = robots.LIFE_SECONDS if is_there else robots.UNREACHABLE_LIFE_SECONDS
    host.robots_state, host.robots_text = state, text
    host.robots_expires_at = timezone.now() + timedelta(seconds=life)
    host.crawl_delay_seconds = robots.crawl_delay_seconds(text) if text else None
    host.save(
        update_fields=[
            "robots_state", "robots_text", "robots_expires_at", "robots_node", "crawl_delay_seconds",
        ]
    )  # fmt: skip


def _state_of(answer: Answer, upload: BinaryIO) -> tuple[RobotsState, str]:
    if answer.failure:
        return RobotsState.UNREACHABLE, ""
    status = answer.last.status
    if status < 300:
        return RobotsState.RULES, robots.decode(_body(answer.last, upload))
    if status == 429 or status >= 500:
        return RobotsState.UNREACHABLE, ""
    # 4xx: none, all is allowed. A redirect we did not follow (another host, or too many): the same, §2.3.1.2.
    return RobotsState.ABSENT, ""


def _body(record: ReadRecord, upload: BinaryIO) -> bytes:
    upload.seek(record.offset)
    return payload_of(gzip.decompress(upload.read(record.length)), robots.MAX_BYTES)
