"""API of WARC files that come from elsewhere or go there."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, BinaryIO, cast

from django.http import HttpRequest, HttpResponseBase
from ninja import Query, Router, Schema, Status
from pydantic import Field

from ronda.accounts.authentication import actor_of
from ronda.archive import forgetting
from ronda.archive.export import page_list, self_contained
from ronda.archive.importing import start_import
from ronda.archive.models import Forgetting
from ronda.archive.queries import collection_seen, visible_captures
from ronda.archive.urlkeys import LONGEST_URL
from ronda.http.inputs import Input
from ronda.http.paging import PageOf, PageRequest, paginate
from ronda.http.streaming import stream
from ronda.jobs.api import JobOut
from ronda.jobs.models import Job
from ronda.policies.queries import value_of
from ronda.policies.registry import policy_named

router = Router(tags=["Archive"])

JSON_LINES = "application/jsonl"

Slug = Annotated[str, Query(max_length=60, pattern=r"^[-a-zA-Z0-9_]+$")]
FileName = Annotated[str, Query(max_length=200, pattern=r"^[^\x00-\x1f]*$", description="For the report.")]


@router.post("/imports", response={202: JobOut}, summary="Import a WARC file (directors)")
def import_warc(request: HttpRequest, collection: Slug | None = None, name: FileName = "") -> Status[Job]:
    """The body is the file: WARC/1.0 or 1.1, plain or gzip. A job reads it; its result says what was taken.

    Without a collection it goes into that of the settings.
    """
    job = start_import(
        actor=actor_of(request),
        collection=collection or _usual_collection(),
        name=name or "upload",
        body=cast("BinaryIO", request),
    )
    return Status(202, job)


class ForgetImportedIn(Input):
    collection: Annotated[str, Field(max_length=60)]
    url: Annotated[
        str, Field(min_length=1, max_length=LONGEST_URL, description="A URL, `prefix*`, or `*.domain`.")
    ]
    because: Annotated[str, Field(min_length=1, max_length=300)]


class ForgettingOut(Schema):
    url: str
    collection: str
    captures: int
    because: str
    forgotten_by: str
    forgotten_at: datetime


@router.post("/imports/forget", response=ForgettingOut, summary="Forget imported captures (directors)")
def forget_imports(request: HttpRequest, body: ForgetImportedIn) -> dict[str, object]:
    """They can no longer be found or replayed. Who did it, when and why stays on record."""
    forgotten = forgetting.forget_imported(
        actor=actor_of(request), collection=body.collection, url=body.url, because=body.because
    )
    return _forgetting_shown(forgotten)


@router.get(
    "/imports/forgotten", response=PageOf[ForgettingOut], summary="Imported captures that were forgotten"
)
def list_forgettings(request: HttpRequest, wanted: Query[PageRequest]) -> dict[str, object]:
    rows = forgetting.forgettings(actor=actor_of(request))
    page = paginate(rows, wanted, sortable={"forgotten_at": "forgotten_at"}, default="-forgotten_at")
    return {**vars(page), "items": [_forgetting_shown(one) for one in page.items]}


def _forgetting_shown(one: Forgetting) -> dict[str, object]:
    return {
        "url": one.url,
        "collection": one.collection.slug,
        "captures": one.captures,
        "because": one.because,
        "forgotten_by": one.forgotten_by.email if one.forgotten_by else "",
        "forgotten_at": one.forgotten_at,
    }


def _usual_collection() -> str:
    """The setting is that of a room above, where sources are put into collections."""
    policy = policy_named("default_collection")
    return str(value_of(policy)) if policy else ""


@router.get("/collections/{str:slug}/export.warc.gz", summary="A collection as one WARC file")
def export_collection(request: HttpRequest, slug: str) -> HttpResponseBase:
    """What its revisit records refer to is in it, wherever else that was kept."""
    actor = actor_of(request)
    collection = collection_seen(actor, slug)
    captures = visible_captures(actor).filter(collection=collection)
    name = f"{slug}.warc.gz"
    return warc_answer(self_contained(captures, name, f"collection {slug}", actor=actor), name)


@router.get("/collections/{str:slug}/pages.jsonl", summary="The pages of a collection, as WACZ lists them")
def list_collection(request: HttpRequest, slug: str) -> HttpResponseBase:
    actor = actor_of(request)
    captures = visible_captures(actor).filter(collection=collection_seen(actor, slug))
    return stream(page_list(captures), JSON_LINES)


def warc_answer(pieces: Iterator[bytes], name: str) -> HttpResponseBase:
    response = stream(pieces, "application/warc")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
