"""Where archived pages are shown as they were: addresses of the replay, and the tickets that open it.

The replay has an origin of its own, so that archived scripts never run in the console's. It knows who comes by a
cookie of its own, the pass; a ticket, good for half a minute, is how the console hands somebody over. A pass opens one
collection, as pages of one could read those of another with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.core import signing
from django.urls import reverse
from django.utils.http import urlencode

from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.archive.models import Capture
from ronda.archive.moments import stamp_of
from ronda.archive.queries import collections_seen, visible_collections
from ronda.archive.replay_addresses import ENTER_PATH, PASS_SECONDS

TICKET_SALT, PASS_SALT = "ronda.replay.ticket", "ronda.replay.pass"
TICKET_SECONDS = 30


@dataclass(frozen=True)
class Pass:
    kept: str
    collection: str


def replay_path(*, collection: str, url: str, moment: datetime | None = None) -> str:
    """The Wayback form. Without a moment: the newest."""
    when = f"{stamp_of(moment)}/" if moment else ""
    return f"/{collection}/{when}{url}"


def replay_url(capture: Capture) -> str:
    """The capture's address in the replay; whoever opens it is sent to log in first, if need be."""
    if capture.collection is None:
        raise ValueError(f"{capture} stands in no collection: there is nowhere to replay it")
    path = replay_path(collection=capture.collection.slug, url=capture.url, moment=capture.fetched_at)
    return replay_origin() + path


def replay_origin() -> str:
    origin: str = settings.RONDA.replay_origin
    return origin


def frame_path(capture: Capture) -> str:
    """The console's page that shows it, with a banner."""
    return reverse("replay", args=[capture.pk])


def entrance_url(*, actor: Person | None, path: str) -> str:
    """Opens one collection of the replay for the actor, and leads to `path` in it."""
    collection = path.split("/")[1] if path.startswith("/") else ""
    collections_seen(actor, collection or "/")
    ticket = signing.dumps(_standing(require(actor), collection), salt=TICKET_SALT)
    return f"{replay_origin()}{ENTER_PATH}?{urlencode({'ticket': ticket, 'to': path})}"


def pass_for(*, actor: Person | None, ticket: str) -> Pass | None:
    """What the cookie is to say, for a good ticket. The actor is the replay itself, with the token of its home."""
    require(actor, Role.ADMINISTRATOR)
    standing = _opened(ticket, TICKET_SALT, TICKET_SECONDS)
    if standing is None:
        return None
    return Pass(signing.dumps(standing, salt=PASS_SALT), str(standing["collection"]))


def collection_open_to(*, actor: Person | None, kept: str) -> str | None:
    """The collection a pass opens: none once it is old, the account closed, its password another, or the right gone."""
    require(actor, Role.ADMINISTRATOR)
    standing = _opened(kept, PASS_SALT, PASS_SECONDS)
    person = Person.objects.filter(pk=standing["person"], is_active=True).first() if standing else None
    if standing is None or person is None or _standing(person, standing["collection"]) != standing:
        return None
    found = visible_collections(person).filter(slug=standing["collection"]).first()
    return found.slug if found else None


def _standing(person: Person, collection: str) -> dict[str, Any]:
    return {"person": person.pk, "mark": person.get_session_auth_hash()[:16], "collection": collection}


def _opened(signed: str, salt: str, seconds: int) -> dict[str, Any] | None:
    try:
        standing: dict[str, Any] = signing.loads(signed, salt=salt, max_age=seconds)
    except signing.BadSignature:
        return None
    return standing
