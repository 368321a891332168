"""Sources with versions, as visits leave them: real WARC records on disk, captures, pages of visits."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from ronda.accounts.models import Person
from ronda.archive.models import Capture, Collection, WarcFile
from ronda.archive.services import archive_folder
from ronda.frontier.services import digest_of
from ronda.rounds.listening import tell_version
from ronda.rounds.models import Source, Version, Visit, VisitPage
from tests.grid.warc_bodies import member, response

HOME = "http://a.example/"


@dataclass(frozen=True)
class Kept:
    """What a visit got for a URL; `status` 0: nothing, because of `reason`."""

    body: str = ""
    status: int = 200
    mime: str = "text/html"
    role: str = "page"
    reason: str = ""


def followed(
    collection: str = "scientific", owner: Person | None = None, url: str = HOME, title: str = ""
) -> Source:
    return Source.objects.create(
        url=url, title=title, owner=owner, collection=Collection.objects.get(slug=collection)
    )


def version_of(source: Source, pages: Mapping[str, Kept | str], *, is_told: bool = True) -> Version:
    """The next version of a source, as closing a visit makes it."""
    number = source.versions.count() + 1
    at = timezone.now() - timedelta(minutes=60 - number)
    visit = Visit.objects.create(
        source=source, cause="schedule", state="ended", outcome="captured", opened_at=at, ended_at=at
    )
    kept = {url: Kept(page) if isinstance(page, str) else page for url, page in pages.items()}
    rows = [_page(visit, url, page, at) for url, page in kept.items()]
    VisitPage.objects.bulk_create(rows)
    version = Version.objects.create(
        source=source,
        visit=visit,
        number=number,
        started_at=at,
        ended_at=at,
        documents=sum(row.capture_id is not None for row in rows),
    )
    if is_told:
        tell_version(version)
    return version


def _page(visit: Visit, url: str, page: Kept, at: object) -> VisitPage:
    row = VisitPage(
        visit=visit,
        url=url,
        url_digest=digest_of(url),
        role=page.role,
        state="done" if page.status else "failed",
        status=page.status,
        reason=page.reason,
    )
    if page.status:
        row.capture = _capture(visit, url, page, at)
    return row


def _capture(visit: Visit, url: str, page: Kept, at: object) -> Capture:
    body = page.body.encode()
    record = member("response", url, "1", response(page.status, body, page.mime))
    folder = archive_folder()
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{uuid.uuid4().hex}.warc.gz"
    (folder / name).write_bytes(record)
    return Capture.objects.create(
        url=url,
        url_digest=digest_of(url),
        urlkey=url,
        fetched_at=at,
        status=page.status,
        mime=page.mime,
        digest=f"sha256:{hashlib.sha256(body).hexdigest()}",
        file=WarcFile.objects.create(name=name, machine="here", size_bytes=len(record)),
        offset=0,
        length=len(record),
        response_length=len(record),
        collection=visit.source.collection,
        source=visit.source_id,
        visit=visit.pk,
    )
