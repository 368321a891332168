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
    size_bytes: Annotated[int, Field(description="Received, before it was packed.")]
    failures: int
    cut_off: Annotated[int, Field(description="Pages of which only a part came.")]
    pages_bytes: Annotated[int, Field(description="Pages that came with other bytes.")]
    pages_meaning: Annotated[int, Field(description="Of those, the ones in which a reader could tell.")]
    version: uuid.UUID | None


class WholeVisitOut(VisitOut):
    pages: Annotated[dict[PageState, int], Field(description="How many of its URLs are in each state.")]


class DriverOut(Schema):
    """A page that counts in a score, and what did in it."""

    url: str
    fate: str
    score: float
    component: str


class ScoreOut(Schema):
    """How much a version differs from the one before it: each from 0 to 1, the highest of any page."""

    view: Annotated[float, Field(description="Paragraphs, colours, arrangement.")]
    form: Annotated[float, Field(description="Structure of the DOM.")]
    content: Annotated[float, Field(description="Text added and removed.")]
    total: Annotated[float, Field(alias="score", description="Their weighted sum.")]
    threshold: Annotated[float, Field(description="F(μ) when it was weighed.")]
    is_important: bool
    returns_to: Annotated[
        uuid.UUID | None, Field(alias="returns_to_id", description="The version it is again like (flapping).")
    ]
    mass_pages: Annotated[
        int, Field(description="The same part changed on so many pages; 0: no mass change.")
    ]
    mass_part: str
    pages_bytes: int
    pages_meaning: int
    drivers: list[DriverOut]


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
    cut_off: Annotated[int, Field(description="Pages of which only a part came.")]
    warc_files: list[str]
    index_seconds: float | None
    is_pinned: bool
    score: Annotated[ScoreOut | None, Field(description="None: the first version, or not weighed yet.")]


class ForgottenOut(Schema):
    """A version that was forgotten: what stays of it is who did it, when, and why."""

    id: uuid.UUID
    source: Annotated[uuid.UUID, Field(alias="source_id")]
    number: int
    started_at: datetime
    forgotten_at: datetime
    forgotten_by: str | None
    because: Annotated[str, Field(alias="forgotten_because")]

    @staticmethod
    def resolve_forgotten_by(version: Version) -> str | None:
        return str(version.forgotten_by) if version.forgotten_by else None


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
    size_bytes: Annotated[int | None, Field(description="Of the page, as received.")]
    stored_bytes: Annotated[int | None, Field(description="Of its records in the WARC file, packed.")]
    truncated: Annotated[
        str | None, Field(description="Why only a part of it came: length, time, disconnect.")
    ]
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


@versions_router.get(
    "/forgotten", response=PageOf[ForgottenOut], summary="Versions that were forgotten: by whom, when, why"
)
def list_forgotten(
    request: HttpRequest,
    wanted: Query[PageRequest],
    source: uuid.UUID | None = None,
    collection: ShortText = "",
) -> Any:
    found = queries.forgotten_versions(actor=actor_of(request), source_id=source, collection=collection)
    return paginate(found, wanted, sortable={"forgotten_at": "forgotten_at"}, default="-forgotten_at")


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


_MADE = ("source", "visit", "is_pinned", "score")


def version_shown(version: Version) -> dict[str, Any]:
    plain = [name for name in VersionOut.model_fields if name not in _MADE]
    return {
        **{name: getattr(version, name) for name in plain},
        "source": version.source_id,
        "visit": version.visit_id,
        "is_pinned": version.pinned_at is not None,
        "score": getattr(version, "weight", None),
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
        "size_bytes": capture.page_bytes if capture else None,
        "stored_bytes": capture.length if capture else None,
        "truncated": (capture.truncated or None) if capture else None,
        "digest": capture.digest if capture else None,
    }
