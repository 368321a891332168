"""Keeping captures, and finding the newest of a URL."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import Count, Min, Q
from django.utils import timezone

from ronda.archive.models import Capture
from ronda.archive.text_types import has_text
from ronda.archive.urlkeys import urlkey_of
from ronda.archive.warc_writer import Appending, WarcWriter
from ronda.database.named_sql import named_sql
from ronda.frontier.services import digest_of

EVERYTHING = Q()


@dataclass(frozen=True)
class NewCapture:
    """A capture as it came in: where it lies is relative to the records it came with.

    A revisit refers to an older capture by id, or by offset to one it came with.
    """

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
    payload_bytes: int = 0
    refers_to: int | None = None
    refers_to_offset: int | None = None
    collection: int | None = None
    source: uuid.UUID | None = None
    visit: int | None = None

    @property
    def is_revisit(self) -> bool:
        return self.refers_to is not None or self.refers_to_offset is not None

    @property
    def is_text_due(self) -> bool:
        return (
            self.collection is not None
            and not self.is_revisit
            and has_text(mime=self.mime, status=self.status)
        )


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
) -> dict[int, int]:
    """Index what was appended at `start`; call inside the transaction that acknowledges it.

    Returns the id of each capture by its offset among the records it came with.
    """
    arguments: dict[str, Any] = {
        "captures": json.dumps([_row(new) for new in captures]),
        "file": appending.row.pk,
        "start": start,
        "node": fetched_by.node,
        "owner": fetched_by.owner,
    }
    with connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.archive", "index"), arguments)
        ids = dict(cursor.fetchall())
    appending.note_size()
    return ids


def _row(new: NewCapture) -> dict[str, object]:
    return {
        **vars(new),
        "url_digest": str(digest_of(new.url)),
        "urlkey": "" if new.collection is None else urlkey_of(new.url),
        "fetched_at": new.fetched_at.isoformat(),
        "source": str(new.source) if new.source else None,
        "is_text_due": new.is_text_due,
    }


def fresh_captures(
    *, urls: Sequence[str], max_age: timedelta, believed: Q = EVERYTHING
) -> dict[str, Capture]:
    """The newest good capture of each URL that is young enough. A redirect is no answer: where it led is another's.

    `believed`: what a capture has to be, so that others are answered with it; rooms above know whom to believe.
    """
    newest = (
        Capture.objects.filter(
            believed,
            url_digest__in=[digest_of(url) for url in urls],
            fetched_at__gt=timezone.now() - max_age,
            status__lt=300,
            truncated="",
            voided_at=None,
            # What was kept for a collection is for those who may see it.
            collection=None,
        )
        .order_by("url_digest", "-fetched_at")
        .distinct("url_digest")
    )
    return {capture.url: capture for capture in newest}


def agreed_digests(*, urls: Sequence[str], not_by: int, people: int, since: timedelta) -> dict[str, str]:
    """Of these URLs, those that so many other people's nodes saw lately, and all alike: URL → digest."""
    seen = (
        Capture.objects.filter(
            url_digest__in=[digest_of(url) for url in urls],
            fetched_at__gt=timezone.now() - since,
            voided_at=None,
            truncated="",
            # A node that was told the digest and gives it back has not shown anything, nor has who imported it.
            refers_to=None,
            node__isnull=False,
        )
        .exclude(owner=not_by)
        .values("url")
        .annotate(
            people=Count("owner", distinct=True), digests=Count("digest", distinct=True), digest=Min("digest")
        )
        .filter(people__gte=people, digests=1)
    )
    return {row["url"]: row["digest"] for row in seen}
