"""Keeping captures, and finding the newest of a URL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

from django.conf import settings
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


def archive_folder() -> Path:
    home: Path = settings.RONDA.home
    return home / "archive"


@cache
def writer() -> WarcWriter:
    """This process's open file. Before each new one, what a crash left of others is put in order."""
    return WarcWriter(archive_folder())


def index_captures(*, appending: Appending, start: int, captures: Sequence[NewCapture]) -> list[Capture]:
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
        )
        .order_by("url_digest", "-fetched_at")
        .distinct("url_digest")
    )
    return {capture.url: capture for capture in newest}
