"""Two versions of a site of which every page changed: how long it takes to compare them, and how much memory."""

from __future__ import annotations

import hashlib
import random
import resource
import threading
import time
import uuid
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING

from bench.database import fresh_database
from bench.measured import Measured, say
from bench.uploads import vary
from ronda_node.warc_records import write_member

if TYPE_CHECKING:
    from ronda.accounts.models import Person
    from ronda.rounds.models import Source, Version

PAGE_BYTES = 10_000
LOOKS = 20
TEXTS = 100
PIECE = 500


def measure(*, is_quick: bool) -> list[Measured]:
    pages = 2_000 if is_quick else 10_000
    with fresh_database():
        from ronda.rounds.site_diffs import diff_between

        person, source = _somebody_and_a_source()
        before, after = (_version(source, number, pages) for number in (1, 2))
        say(f"{pages:,} pages, all of them changed")
        began = time.perf_counter()
        diff_between(before, after)
        filled = time.perf_counter() - began
        had_mb = _peak_mb()
        compared = _work_off()
        return [
            Measured("seconds_until_listed", filled, 5, is_at_most=True),
            Measured("seconds_until_compared", compared, 300, is_at_most=True),
            Measured("mb_more_while_comparing", _peak_mb() - had_mb, 100, is_at_most=True),
            Measured("page_of_the_comparison_ms", _look(person, source), 500, is_at_most=True),
        ]


def _somebody_and_a_source() -> tuple[Person, Source]:
    from ronda.accounts.services import ensure_administrator
    from ronda.archive.models import Collection
    from ronda.rounds.models import Source

    person = ensure_administrator()
    collection = Collection.objects.get(slug="scientific")
    return person, Source.objects.create(url="http://a.example/", collection=collection, owner=person)


def _version(source: Source, number: int, pages: int) -> Version:
    """As closing a visit leaves it."""
    from django.utils import timezone

    from ronda.rounds.models import Version, Visit

    now = timezone.now()
    visit = Visit.objects.create(
        source=source, cause="schedule", state="ended", outcome="captured", opened_at=now, ended_at=now
    )
    for first in range(0, pages, PIECE):
        _keep(source, visit.pk, number, range(first, min(pages, first + PIECE)))
    return Version.objects.create(
        source=source, visit=visit, number=number, started_at=now, ended_at=now, documents=pages
    )


def _keep(source: Source, visit: int, number: int, pages: range) -> None:
    from django.db import transaction
    from django.utils import timezone

    from ronda.archive import services
    from ronda.frontier.services import digest_of
    from ronda.rounds.models import VisitPage

    body, captures, offsets = BytesIO(), [], {}
    for page in pages:
        url, offset = f"http://a.example/{page}", body.tell()
        payload = _page(page, number)
        digest = f"sha256:{hashlib.sha256(payload).hexdigest()}"
        _write(body, url, payload)
        length = body.tell() - offset
        offsets[offset] = url
        captures.append(
            services.NewCapture(
                url,
                timezone.now(),
                200,
                "text/html",
                digest,
                "",
                "",
                offset,
                length,
                length,
                collection=source.collection_id,
                source=source.pk,
                visit=visit,
            )
        )
    body.seek(0)
    with services.writer().appending() as appending, transaction.atomic():
        start = appending.append(body)
        fetched_by = services.FetchedBy(uuid.uuid4(), 1)
        ids = services.index_captures(
            appending=appending, start=start, captures=captures, fetched_by=fetched_by
        )
        VisitPage.objects.bulk_create(
            VisitPage(
                visit_id=visit, url=url, url_digest=digest_of(url), role="page", state="done", status=200,
                capture_id=ids[offset],
            )
            for offset, url in offsets.items()
        )  # fmt: skip


def _page(page: int, number: int) -> bytes:
    """Half of it as in the other version."""
    return f"<p>Page {page}.</p>".encode() + _half(page % TEXTS) + _half(TEXTS + (page + number) % TEXTS)


@cache
def _half(seed: int) -> bytes:
    return vary(str(seed), PAGE_BYTES // 2)


def _write(body: BytesIO, url: str, payload: bytes) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(payload)
    fields = [
        ("WARC-Type", "response"),
        ("WARC-Record-ID", f"<urn:uuid:{uuid.UUID(int=random.getrandbits(128))}>"),
        ("WARC-Target-URI", url),
        ("Content-Type", "application/http; msgtype=response"),
        ("Content-Length", str(len(head) + len(payload))),
    ]
    write_member(fields, head, [payload], body.write, is_dense=False)


def _work_off() -> float:
    from ronda.jobs.models import Job
    from ronda.jobs.services import run

    began = time.perf_counter()
    for job in Job.objects.filter(kind="compare_versions"):
        run(job_id=job.pk, worker="bench", stopping=threading.Event())
        job.refresh_from_db()
        say(f"compared: {job.state} {job.result}")
    return time.perf_counter() - began


def _look(person: Person, source: Source) -> float:
    """The page with the most changed ones, as a browser gets it; the slowest of some."""
    from django.test import Client
    from django.urls import reverse

    from ronda.accounts.pages.entrance import BACKEND

    browser = Client(headers={"Host": "127.0.0.1"})
    browser.force_login(person, backend=BACKEND)
    slowest = 0.0
    for number in range(LOOKS + 1):
        began = time.perf_counter()
        answer = browser.get(reverse("source-diff", args=[source.pk]), {"page": str(1 + number % 5)})
        if answer.status_code != 200:
            raise SystemExit(f"the page answers with {answer.status_code}")
        # The first one brings the templates in.
        slowest = max(slowest, time.perf_counter() - began) if number else 0.0
    return slowest * 1000


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
