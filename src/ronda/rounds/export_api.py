"""API: what was kept of a source, or of one version, as a WARC file."""

from __future__ import annotations

import uuid

from django.http import HttpRequest, HttpResponseBase
from ninja import Router

from ronda.accounts.authentication import actor_of
from ronda.archive.export import self_contained
from ronda.archive.files_api import warc_answer
from ronda.archive.queries import visible_captures
from ronda.rounds.queries import source_seen, version_seen

router = Router(tags=["Archive"])


@router.get("/sources/{uuid:source_id}/export.warc.gz", summary="All versions of a source as one WARC file")
def export_source(request: HttpRequest, source_id: uuid.UUID) -> HttpResponseBase:
    actor = actor_of(request)
    source = source_seen(actor, source_id)
    captures = visible_captures(actor).filter(source=source.pk)
    name = f"source-{source.pk}.warc.gz"
    return warc_answer(self_contained(captures, name, f"source {source.url}"), name)


@router.get("/versions/{uuid:version_id}/export.warc.gz", summary="One version as one WARC file")
def export_version(request: HttpRequest, version_id: uuid.UUID) -> HttpResponseBase:
    actor = actor_of(request)
    version = version_seen(actor, version_id)
    captures = visible_captures(actor).filter(visit=version.visit_id)
    name = f"version-{version.pk}.warc.gz"
    about = f"version {version.number} of {version.source.url}"
    return warc_answer(self_contained(captures, name, about), name)
