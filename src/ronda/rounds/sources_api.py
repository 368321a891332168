"""API of sources: follow, look, edit, pause, resume, visit, delete; lists in and out."""

from __future__ import annotations

import uuid
from enum import StrEnum
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from ninja import Query, Router, Status

from ronda.accounts.authentication import actor_of
from ronda.http.inputs import ShortText
from ronda.http.paging import PageOf, PageRequest, paginate
from ronda.http.streaming import stream
from ronda.rounds import bulk, csv_lists, intervals, queries, services, visiting
from ronda.rounds.models import Source
from ronda.rounds.sources_shapes import (
    BulkIn,
    DoneOut,
    ImportOut,
    SourceChange,
    SourceIn,
    SourceOut,
    WantedSources,
)
from ronda.rounds.versions_api import VersionOut, VisitOut, version_shown, visit_shown
from ronda.rounds.wishes import Wish

router = Router(tags=["Sources"])

PIECE = 500


class WhatOfVersions(StrEnum):
    KEEP = "keep"
    FORGET = "forget"


@router.get("", response=PageOf[SourceOut], summary="Sources in collections I may see")
def list_sources(request: HttpRequest, wanted: Query[PageRequest], chosen: Query[WantedSources]) -> Any:
    found = queries.sources(actor=actor_of(request), wanted=chosen.as_filter())
    return paginate(found, wanted, sortable=queries.SORTABLE, default="url")


@router.post("", response={201: SourceOut}, summary="Follow a site or a page (subscribers)")
def follow(request: HttpRequest, payload: SourceIn) -> Status[Source]:
    made = services.follow(actor=actor_of(request), wish=Wish(**_wished(payload.dict())))
    return Status(201, _shown(request, made.pk))


def _wished(given: dict[str, Any]) -> dict[str, Any]:
    """The fields of a body as those of a wish."""
    if "every" in given:
        given["every_seconds"] = intervals.seconds_of(given.pop("every"))
    if "tags" in given:
        given["tags"] = tuple(given["tags"])
    if "collection" in given:
        given["collection"] = given["collection"] or ""
    return given


def _shown(request: HttpRequest, source_id: uuid.UUID) -> Source:
    return queries.source_shown(actor=actor_of(request), source_id=source_id)


@router.post("/import", response=ImportOut, summary="Follow a list of sources, as CSV (subscribers)")
def import_sources(request: HttpRequest) -> dict[str, Any]:
    """The body is text: the first line names columns as the export has them; only `url` is needed.

    Each line is taken whole or refused with the reason.
    """
    text = request.body.decode("utf-8", "replace")
    lines = csv_lists.import_list(actor=actor_of(request), text=text)
    shown = [
        {
            "line": line.number,
            "url": line.url,
            "source": line.source_id,
            "refused_because": str(line.refusal) if line.refusal else None,
        }
        for line in lines
    ]
    taken = sum(line.refusal is None for line in lines)
    return {"taken": taken, "refused": len(lines) - taken, "lines": shown}


@router.get("/export.csv", summary="Sources as CSV, as the import takes them")
def export_sources(request: HttpRequest, chosen: Query[WantedSources]) -> HttpResponseBase:
    found = queries.sources(actor=actor_of(request), wanted=chosen.as_filter()).order_by("url", "pk")
    lines = (line.encode() for line in csv_lists.as_csv(found.iterator(PIECE)))
    response = stream(lines, "text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = 'attachment; filename="sources.csv"'
    return response


@router.post("/actions", response=list[DoneOut], summary="Do one thing to many sources (subscribers)")
def act_on_sources(request: HttpRequest, payload: BulkIn) -> list[dict[str, Any]]:
    """`end` deletes without the versions, `remove` with them. Each source by itself."""
    done = bulk.act_on(
        actor=actor_of(request),
        source_ids=payload.sources,
        action=payload.action,
        collection=payload.collection or "",
        because=payload.because,
    )
    return [
        {"source": one.source_id, "refused_because": str(one.refusal) if one.refusal else None}
        for one in done
    ]


@router.get("/{uuid:source_id}", response=SourceOut, summary="One source")
def show_source(request: HttpRequest, source_id: uuid.UUID) -> Source:
    return _shown(request, source_id)


@router.patch("/{uuid:source_id}", response=SourceOut, summary="Change a source (its owner, directors)")
def change_source(request: HttpRequest, source_id: uuid.UUID, payload: SourceChange) -> Source:
    changes = _wished(payload.dict(exclude_unset=True))
    owner, edition = changes.pop("owner", None), changes.pop("edition", None)
    services.edit(actor=actor_of(request), source_id=source_id, changes=changes, edition=edition, owner=owner)
    return _shown(request, source_id)


@router.delete("/{uuid:source_id}", response={204: None}, summary="Delete a source (its owner, directors)")
def delete_source(
    request: HttpRequest,
    source_id: uuid.UUID,
    versions: WhatOfVersions = WhatOfVersions.KEEP,
    because: ShortText = "",
) -> Status[None]:
    """`keep`: no longer followed, its versions stay. `forget`: they go too, and `because` says why."""
    actor = actor_of(request)
    if versions is WhatOfVersions.FORGET:
        services.remove(actor=actor, source_id=source_id, because=because)
    else:
        services.end(actor=actor, source_id=source_id)
    return Status(204, None)


@router.post("/{uuid:source_id}/pause", response=SourceOut, summary="No visits until it is resumed")
def pause_source(request: HttpRequest, source_id: uuid.UUID) -> Source:
    services.pause(actor=actor_of(request), source_id=source_id)
    return _shown(request, source_id)


@router.post("/{uuid:source_id}/resume", response=SourceOut, summary="Follow it again")
def resume_source(request: HttpRequest, source_id: uuid.UUID) -> Source:
    services.resume(actor=actor_of(request), source_id=source_id)
    return _shown(request, source_id)


@router.post("/{uuid:source_id}/visit", response={202: VisitOut}, summary="Visit it now, changed or not")
def ask_for_visit(request: HttpRequest, source_id: uuid.UUID) -> Status[Any]:
    visit = visiting.ask_for_visit(actor=actor_of(request), source_id=source_id)
    return Status(202, visit_shown(visit))


@router.delete("/{uuid:source_id}/visit", response={202: VisitOut}, summary="Cancel the visit under way")
def cancel_visit(request: HttpRequest, source_id: uuid.UUID) -> Status[Any]:
    visit = visiting.cancel_visit(actor=actor_of(request), source_id=source_id)
    return Status(202, visit_shown(visit))


@router.get("/{uuid:source_id}/visits", response=PageOf[VisitOut], summary="Its visits, newest first")
def list_visits(request: HttpRequest, source_id: uuid.UUID, wanted: Query[PageRequest]) -> Any:
    found = queries.visits_of(actor=actor_of(request), source_id=source_id)
    fields = {name: name for name in ("opened_at", "ended_at", "outcome")}
    page = paginate(found, wanted, sortable=fields, default="-opened_at")
    return {**vars(page), "items": [visit_shown(visit) for visit in page.items]}


@router.get("/{uuid:source_id}/versions", response=PageOf[VersionOut], summary="Its versions, newest first")
def list_versions(request: HttpRequest, source_id: uuid.UUID, wanted: Query[PageRequest]) -> Any:
    found = queries.versions_of(actor=actor_of(request), source_id=source_id)
    fields = {name: name for name in ("number", "started_at", "documents", "bytes_stored")}
    page = paginate(found, wanted, sortable=fields, default="-number")
    return {**vars(page), "items": [version_shown(version) for version in page.items]}
