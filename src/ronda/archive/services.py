"""Keeping captures, and finding the newest of a URL."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

from django.conf import settings
from django.db.models import Count, Min
from django.utils import timezone

from ronda.archive.models import Capture
from ronda.archive.warc_writer import Appending, WarcWriter
from ronda.frontier.services import digest_of


@dataclass(frozen=True)
class NewCapture:
    """A capture as it came in: where it lies is relative to the records it came with."""

    url: str
    fetched_at: datetime
    status: int
    mime: str
    digest: str
    address: str
    truncated: str
    offset: int
    length: int
    response_length: int


@dataclass(frozen=True)
class FetchedBy:
    """Whose work a capture is: the node and the person it belongs to."""

    node: uuid.UUID
    owner: int


def archive_folder() -> Path:
    home: Path = settings.RONDA.home
    return home / "archive"


@cache
def writer() -> WarcWriter:
    """This process's open file. Before each new one, what a crash left of others is put in order."""
    return WarcWriter(archive_folder())


def index_captures(
    *, appending: Appending, start: int, captures: Sequence[NewCapture], fetched_by: FetchedBy
) -> list[Capture]:
    """Index what was appended at `start`; call inside the transaction that acknowledges it."""
    rows = Capture.objects.bulk_create(
        Capture(
            url=new.url,
            url_digest=digest_of(new.url),
            fetched_at=new.fetched_at,
            status=new.status,
            mime=new.mime,
            digest=new.digest,
            address=new.address,
            truncated=new.truncated,
            file=appending.row,
            offset=start + new.offset,
            length=new.length,
            response_length=new.response_length,
            node=fetched_by.node,
            owner=fetched_by.owner,
        )
        for new in captures
    )
    appending.note_size()
    return rows


def fresh_captures(*, urls: Sequence[str], max_age: timedelta) -> dict[str, Capture]:
    """The newest good capture of each URL that is young enough."""
    newest = (
        Capture.objects.filter(
            url_digest__in=[digest_of(url) for url in urls],
            fetched_at__gt=timezone.now() - max_age,
            status__lt=400,
            truncated="",
            voided_at=None,
        )
        .order_by("url_digest", "-fetched_at")
        .distinct("url_digest")
    )
    return {capture.url: capture for capture in newest}


def void_captures(*, node: uuid.UUID, after: int) -> int:
    """What a node brought since then is not to be believed. The WARC files keep it; the index no longer offers it."""
    return Capture.objects.filter(pk__gt=after, node=node, voided_at=None).update(voided_at=timezone.now())


def agreed_digests(*, urls: Sequence[str], not_by: int, people: int, since: timedelta) -> dict[str, str]:
    """Of these URLs, those that so many other people's nodes saw lately, and all alike: URL → digest."""
    seen = (
        Capture.objects.filter(
            url_digest__in=[digest_of(url) for url in urls],
            fetched_at__gt=timezone.now() - since,
            voided_at=None,
            truncated="",
        )
        .exclude(owner=not_by)
        .values("url")
        .annotate(
            people=Count("owner", distinct=True), digests=Count("digest", distinct=True), digest=Min("digest")
        )
        .filter(people__gte=people, digests=1)
    )
    return {row["url"]: row["digest"] for row in seen}
