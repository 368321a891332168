"""API of WARC files that come from elsewhere or go there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, BinaryIO, cast

from django.http import HttpRequest, HttpResponseBase
from ninja import Query, Router, Status

from ronda.accounts.authentication import actor_of
from ronda.archive.export import self_contained
from ronda.archive.importing import start_import
from ronda.archive.queries import collection_seen, visible_captures
from ronda.http.streaming import stream
from ronda.jobs.api import JobOut
from ronda.jobs.models import Job

router = Router(tags=["Archive"])

Slug = Annotated[str, Query(max_length=60, pattern=r"^[-a-zA-Z0-9_]+$")]
FileName = Annotated[str, Query(max_length=200, pattern=r"^[^\x00-\x1f]*$", description="For the report.")]


@router.post("/imports", response={202: JobOut}, summary="Import a WARC file (subscribers, directors)")
def import_warc(request: HttpRequest, collection: Slug, name: FileName = "") -> Status[Job]:
    """The body is the file: WARC/1.0 or 1.1, plain or gzip. A job reads it; its result says what was taken."""
    job = start_import(
        actor=actor_of(request), collection=collection, name=name or "upload", body=cast("BinaryIO", request)
    )
    return Status(202, job)


@router.get("/collections/{str:slug}/export.warc.gz", summary="A collection as one WARC file")
def export_collection(request: HttpRequest, slug: str) -> HttpResponseBase:
    """What its revisit records refer to is in it, wherever else that was kept."""
    actor = actor_of(request)
    collection = collection_seen(actor, slug)
    captures = visible_captures(actor).filter(collection=collection)
    return warc_answer(self_contained(captures, f"{slug}.warc.gz", f"collection {slug}"), f"{slug}.warc.gz")


def warc_answer(pieces: Iterator[bytes], name: str) -> HttpResponseBase:
    response = stream(pieces, "application/warc")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
