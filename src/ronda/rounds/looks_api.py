"""API: what is new of a source since one last looked, and that one did."""

from __future__ import annotations

import uuid
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Field, Router, Schema

from ronda.accounts.authentication import actor_of
from ronda.http.inputs import Input
from ronda.rounds.looks import News, look_at, news_of
from ronda.rounds.queries import source_seen

router = Router(tags=["Sources"])


class NewsOut(Schema):
    newest: Annotated[uuid.UUID | None, Field(description="The newest version.")]
    seen: Annotated[
        uuid.UUID | None, Field(description="The newest one you looked at, if it is still there.")
    ]
    count: Annotated[int, Field(description="Versions made since you looked.")]


class SeenIn(Input):
    version: Annotated[uuid.UUID | None, Field(description="Without it: the newest.")] = None


@router.get("/sources/{uuid:source_id}/news", response=NewsOut, summary="What is new since you last looked")
def show_news(request: HttpRequest, source_id: uuid.UUID) -> dict[str, Any]:
    actor = actor_of(request)
    return _shown(news_of(actor=actor, source=source_seen(actor, source_id)))


@router.post("/sources/{uuid:source_id}/seen", response=NewsOut, summary="You looked at it, up to a version")
def note(request: HttpRequest, source_id: uuid.UUID, payload: SeenIn) -> dict[str, Any]:
    """Pages of the console note it by themselves. An older version than one looked at before changes nothing."""
    return _shown(look_at(actor=actor_of(request), source_id=source_id, version_id=payload.version))


def _shown(news: News) -> dict[str, Any]:
    return {
        "newest": news.newest.pk if news.newest else None,
        "seen": news.seen.pk if news.seen else None,
        "count": news.count,
    }
