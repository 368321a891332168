"""API of visits and versions: what a visit found, what a version is made of; pin and forget."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Field, Query, Router, Schema, Status

from ronda.accounts.authentication import actor_of
from ronda.http.inputs import Input, ShortText
from ronda.http.paging import PageOf, PageRequest, paginate
from ronda.rounds import progress, queries, versions
from ronda.rounds.models import (
    PageRole,
    PageState,
    Version,
    Visit,
    VisitCause,
    VisitOutcome,
    VisitPage,
    VisitState,
)

visits_router = Router(tags=["Versions"])
versions_router = Router(tags=["Versions"])


class VisitOut(Schema):
    id: int
    source: uuid.UUID
    cause: VisitCause
    state: VisitState
    outcome: VisitOutcome
    reason: str
    opened_at: datetime
    capture_began_at: datetime | None
    ended_at: datetime | None
    is_to_be_cancelled: bool
    requests: int
    size_bytes: int
    failures: int
    version: uuid.UUID | None


class WholeVisitOut(VisitOut):
    pages: Annotated[dict[PageState, int], Field(description="How many of its URLs are in each state.")]


class VersionOut(Schema):
    id: uuid.UUID
    source: uuid.UUID
    visit: int
    number: int
    started_at: datetime
    ended_at: datetime
    documents: int
    bytes_stored: int
    bytes_saved: int
    failures: int
    warc_files: list[str]
    index_seconds: float | None
    is_pinned: bool


class VersionPageOut(Schema):
    """One URL of a version. `capture` is what was kept of it, `is_unchanged` that it is as in an older version."""

    id: int
    url: str
    role: PageRole
    state: PageState
    depth: int
    status: int | None
    reason: str
    capture: int | None
    fetched_at: datetime | None
    type: str | None
    size_bytes: int | None
    digest: str | None
    is_unchanged: bool


class PinIn(Input):
    is_pinned: bool = True


class ForgetIn(Input):
    because: Annotated[ShortText, Field(min_length=1, description="Why; it stays on record.")]


@visits_router.get("/{int:visit_id}", response=WholeVisitOut, summary="One visit, and how far it is")
def show_visit(request: HttpRequest, visit_id: int) -> dict[str, Any]:
    found = queries.visit_seen(actor_of(request), visit_id)
    return {**visit_shown(found), "pages": progress.counts_of(found)}


@versions_router.get("/{uuid:version_id}", response=VersionOut, summary="One version")
def show_version(request: HttpRequest, version_id: uuid.UUID) -> dict[str, Any]:
    return version_shown(queries.version_seen(actor_of(request), version_id))


@versions_router.get(
    "/{uuid:version_id}/pages", response=PageOf[VersionPageOut], summary="What a version is made of"
)
def list_pages(
    request: HttpRequest,
    version_id: uuid.UUID,
    wanted: Query[PageRequest],
    search: ShortText = "",
    state: PageState | None = None,
) -> Any:
    found = queries.pages_of(actor=actor_of(request), version_id=version_id, search=search, kind=state or "")
    fields = {"url": "url", "status": "status", "depth": "depth", "id": "pk"}
    page = paginate(found, wanted, sortable=fields, default="id")
    return {**vars(page), "items": [_page_shown(one) for one in page.items]}


@versions_router.post("/{uuid:version_id}/pin", response=VersionOut, summary="Pin or unpin a version")
def pin_version(request: HttpRequest, version_id: uuid.UUID, payload: PinIn) -> dict[str, Any]:
    return version_shown(
        versions.pin(actor=actor_of(request), version_id=version_id, is_pinned=payload.is_pinned)
    )


@versions_router.post(
    "/{uuid:version_id}/forget", response={204: None}, summary="Forget a version, for a reason"
)
def forget_version(request: HttpRequest, version_id: uuid.UUID, payload: ForgetIn) -> Status[None]:
    """It can no longer be found or replayed. The WARC files stay as they are."""
    versions.forget(actor=actor_of(request), version_id=version_id, because=payload.because)
    return Status(204, None)


def visit_shown(visit: Visit) -> dict[str, Any]:
    version = getattr(visit, "version", None)
    return {
        **{name: getattr(visit, name) for name in VisitOut.model_fields if name not in ("source", "version")},
        "source": visit.source_id,
        "version": version.pk if version and version.forgotten_at is None else None,
    }


def version_shown(version: Version) -> dict[str, Any]:
    plain = [name for name in VersionOut.model_fields if name not in ("source", "visit", "is_pinned")]
    return {
        **{name: getattr(version, name) for name in plain},
        "source": version.source_id,
        "visit": version.visit_id,
        "is_pinned": version.pinned_at is not None,
    }


def _page_shown(page: VisitPage) -> dict[str, Any]:
    capture = page.capture
    return {
        **{name: getattr(page, name) for name in ("id", "url", "role", "state", "depth", "reason")},
        "is_unchanged": page.is_unchanged,
        "status": page.status or None,
        "capture": page.capture_id,
        "fetched_at": capture.fetched_at if capture else None,
        "type": capture.mime if capture else None,
        "size_bytes": capture.length if capture else None,
        "digest": capture.digest if capture else None,
    }
