"""Sources for tests that need no running server, with visits and versions as a capture leaves them."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import md5
from pathlib import Path

from django.conf import settings
from django.test import override_settings
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.archive import services as archive
from ronda.archive.models import Capture, WarcFile
from ronda.rounds import observing, services, track_records
from ronda.rounds.models import (
    PageRole,
    PageState,
    Source,
    Version,
    Visit,
    VisitCause,
    VisitOutcome,
    VisitPage,
    VisitState,
)
from ronda.rounds.wishes import Wish

SITE = "https://museum.example/"


@contextmanager
def own_archive(folder: Path) -> Iterator[None]:
    """What is forgotten is written down in WARC files: here in files of the test's own."""
    archive.writer.cache_clear()
    with override_settings(RONDA=replace(settings.RONDA, home=folder)):
        yield
        archive.writer().close()
    archive.writer.cache_clear()


def followed(actor: Person, url: str = SITE, **wish: object) -> Source:
    return services.follow(actor=actor, wish=Wish(url=url, **wish))  # type: ignore[arg-type]


def visited(source: Source, outcome: VisitOutcome, at: datetime | None = None) -> Visit:
    """A visit that ended."""
    at = at or timezone.now()
    return Visit.objects.create(
        source=source,
        cause=VisitCause.SCHEDULE,
        state=VisitState.ENDED,
        outcome=outcome,
        opened_at=at,
        ended_at=at + timedelta(seconds=3),
        requests=2,
        size_bytes=3000,
    )


def captured(source: Source, at: datetime | None = None, paths: tuple[str, ...] = ("", "a")) -> Version:
    """A version with a page for each path, the first of them new, and one that failed."""
    at = at or timezone.now()
    visit = visited(source, VisitOutcome.CAPTURED, at)
    file, _ = WarcFile.objects.get_or_create(name="test-1.warc.gz", defaults={"machine": "here"})
    for number, path in enumerate(paths):
        url = source.url + path
        capture = Capture.objects.create(
            url=url,
            url_digest=_digest(url),
            fetched_at=at,
            status=200,
            mime="text/html",
            digest="sha256:1",
            file=file,
            offset=1500 * file.capture_set.count(),
            length=1500,
            response_length=1200,
            payload_bytes=4000,
            collection=source.collection,
            source=source.pk,
            visit=visit.pk,
        )
        VisitPage.objects.create(
            visit=visit,
            url=url,
            url_digest=_digest(url),
            role=PageRole.PAGE,
            state=PageState.DONE,
            status=200,
            capture=capture,
            is_unchanged=number > 0,
        )
    gone = source.url + "gone"
    VisitPage.objects.create(
        visit=visit,
        url=gone,
        url_digest=_digest(gone),
        role=PageRole.PAGE,
        state=PageState.FAILED,
        reason="dns",
    )
    return Version.objects.create(
        source=source,
        visit=visit,
        number=source.versions.count() + 1,
        started_at=at,
        ended_at=at + timedelta(seconds=5),
        documents=len(paths),
        bytes_stored=1500,
        bytes_saved=1500 * (len(paths) - 1),
        failures=1,
        warc_files=[file.name],
    )


def watched(
    source: Source, *, days: int, changes_every: int, until: datetime | None = None, looks_a_day: int = 1
) -> None:
    """Visits day after day, the last one now, of which every so many found a change; and what follows from them."""
    last = until or timezone.now()
    for number in range(days * looks_a_day + 1):
        at = last - timedelta(days=days) + timedelta(days=number / looks_a_day)
        if number % (changes_every * looks_a_day) == 0:
            _kept(source, at)
        else:
            visited(source, VisitOutcome.UNCHANGED, at)
    source.visited_at = last
    source.save(update_fields=["visited_at"])
    track_records.note(source, observing.history_of(source))


def _kept(source: Source, at: datetime) -> None:
    """A version without pages."""
    Version.objects.create(
        source=source,
        visit=visited(source, VisitOutcome.CAPTURED, at),
        number=source.versions.count() + 1,
        started_at=at,
        ended_at=at + timedelta(seconds=5),
        documents=3,
        bytes_stored=40_000,
        bytes_saved=20_000,
    )


def _digest(url: str) -> uuid.UUID:
    return uuid.UUID(bytes=md5(url.encode(), usedforsecurity=False).digest())
