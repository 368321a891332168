"""API: what was kept of a source, or of one version, as a WARC file; and its pages as a list."""

from __future__ import annotations

import uuid

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase
from ninja import Router

from ronda.accounts.authentication import actor_of
from ronda.archive.export import page_list, self_contained
from ronda.archive.files_api import JSON_LINES, warc_answer
from ronda.archive.models import Capture
from ronda.archive.queries import visible_captures
from ronda.http.streaming import stream
from ronda.rounds.models import Source, Version
from ronda.rounds.queries import source_seen, version_seen

router = Router(tags=["Archive"])


@router.get("/sources/{uuid:source_id}/export.warc.gz", summary="All versions of a source as one WARC file")
def export_source(request: HttpRequest, source_id: uuid.UUID) -> HttpResponseBase:
    source = source_seen(actor_of(request), source_id)
    name = f"source-{source.pk}.warc.gz"
    return warc_answer(
        self_contained(_of_source(request, source), name, f"source {source.url}", actor=actor_of(request)),
        name,
    )


@router.get("/sources/{uuid:source_id}/pages.jsonl", summary="The pages of a source, as WACZ lists them")
def list_source(request: HttpRequest, source_id: uuid.UUID) -> HttpResponseBase:
    source = source_seen(actor_of(request), source_id)
    return stream(page_list(_of_source(request, source)), JSON_LINES)


@router.get("/versions/{uuid:version_id}/export.warc.gz", summary="One version as one WARC file")
def export_version(request: HttpRequest, version_id: uuid.UUID) -> HttpResponseBase:
    version = version_seen(actor_of(request), version_id)
    name = f"version-{version.pk}.warc.gz"
    about = f"version {version.number} of {version.source.url}"
    return warc_answer(
        self_contained(_of_version(request, version), name, about, actor=actor_of(request)), name
    )


@router.get("/versions/{uuid:version_id}/pages.jsonl", summary="The pages of a version, as WACZ lists them")
def list_version(request: HttpRequest, version_id: uuid.UUID) -> HttpResponseBase:
    version = version_seen(actor_of(request), version_id)
    return stream(page_list(_of_version(request, version)), JSON_LINES)


def _of_source(request: HttpRequest, source: Source) -> QuerySet[Capture]:
    return visible_captures(actor_of(request)).filter(source=source.pk)


def _of_version(request: HttpRequest, version: Version) -> QuerySet[Capture]:
    return visible_captures(actor_of(request)).filter(visit=version.visit_id)
