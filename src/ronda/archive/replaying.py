"""Where archived pages are shown as they were: addresses of the replay, and the tickets that open it.

The replay has an origin of its own, so that archived scripts never run in the console's. It knows who comes by a
cookie of its own, the pass; a ticket, good once and for half a minute, is how the console hands somebody over. A pass
opens one collection, as pages of one could read those of another with it, and ends with the session it was given in.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.core import signing
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.http import urlencode

from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.archive.models import Capture, EndedSession, SpentTicket
from ronda.archive.moments import stamp_of
from ronda.archive.queries import collections_seen, visible_collections
from ronda.archive.replay_addresses import ENTER_PATH, PASS_SECONDS

TICKET_SALT, PASS_SALT, SESSION_SALT = "ronda.replay.ticket", "ronda.replay.pass", "ronda.replay.session"
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
    slug = capture.collection.slug
    return replay_origin_of(slug) + replay_path(collection=slug, url=capture.url, moment=capture.fetched_at)


def replay_origin_of(collection: str) -> str:
    origin: str = settings.RONDA.replay_origin_of(collection)
    return origin


def frames_of(path: str) -> str:
    """Where the frame with this page may lead: nothing archived is to lead it out of the replay."""
    sources: str = settings.RONDA.replay_frames_of(collection_of(path))
    return sources


def collection_of(path: str) -> str:
    """The short name a path of the replay begins with, or nothing."""
    return path.split("/")[1] if path.startswith("/") else ""


def frame_path(capture: Capture) -> str:
    """The console's page that shows it, with a banner."""
    return reverse("replay", args=[capture.pk])


def entrance_url(*, actor: Person | None, session_key: str, path: str) -> str:
    """Opens one collection of the replay for the actor, and leads to `path` in it, while the session lasts."""
    collection = collection_of(path)
    collections_seen(actor, collection or "/")
    standing = _standing(require(actor), collection, _mark_of(session_key))
    ticket = signing.dumps({**standing, "ticket": secrets.token_hex(8)}, salt=TICKET_SALT)
    return f"{replay_origin_of(collection)}{ENTER_PATH}?{urlencode({'ticket': ticket, 'to': path})}"


def pass_for(*, actor: Person | None, ticket: str) -> Pass | None:
    """What the cookie is to say, for a good ticket. The actor is the replay itself, with the token of its home."""
    require(actor, Role.ADMINISTRATOR)
    standing = _opened(ticket, TICKET_SALT, TICKET_SECONDS)
    if standing is None or not _spend(str(standing.pop("ticket", ""))):
        return None
    return Pass(signing.dumps(standing, salt=PASS_SALT), str(standing["collection"]))


def _spend(mark: str) -> bool:
    """Once: tickets stand in addresses, and addresses in histories and logs. Remembered as long as one may be good."""
    now = timezone.now()
    SpentTicket.objects.filter(spent_at__lt=now - timedelta(seconds=2 * TICKET_SECONDS)).delete()
    _row, is_first = SpentTicket.objects.get_or_create(mark=mark, defaults={"spent_at": now})
    return bool(mark) and is_first


def collection_open_to(*, actor: Person | None, kept: str) -> str | None:
    """The collection a pass opens: none once it is old, its session over, the account closed, its password another, or
    the right gone."""
    require(actor, Role.ADMINISTRATOR)
    standing = _opened(kept, PASS_SALT, PASS_SECONDS)
    person = Person.objects.filter(pk=standing["person"], is_active=True).first() if standing else None
    if standing is None or person is None:
        return None
    if _standing(person, standing["collection"], standing.get("session", "")) != standing:
        return None
    found = visible_collections(person).filter(slug=standing["collection"]).first()
    return found.slug if found else None


def end_session(session_key: str) -> None:
    """Somebody logged out: what was opened in that session is closed. Remembered as long as a pass may live."""
    now = timezone.now()
    with transaction.atomic():
        EndedSession.objects.filter(
            ended_at__lt=now - timedelta(seconds=PASS_SECONDS + TICKET_SECONDS)
        ).delete()
        EndedSession.objects.get_or_create(mark=_mark_of(session_key), defaults={"ended_at": now})


def _mark_of(session_key: str) -> str:
    """Tickets stand in addresses: they must not tell the session's key."""
    return salted_hmac(SESSION_SALT, session_key, algorithm="sha256").hexdigest()[:32]


def _standing(person: Person, collection: str, session: str) -> dict[str, Any]:
    mark = person.get_session_auth_hash()[:16]
    return {"person": person.pk, "mark": mark, "collection": collection, "session": session}


def _opened(signed: str, salt: str, seconds: int) -> dict[str, Any] | None:
    try:
        standing: dict[str, Any] = signing.loads(signed, salt=salt, max_age=seconds)
    except signing.BadSignature:
        return None
    is_over = EndedSession.objects.filter(pk=standing.get("session", "")).exists()
    return None if is_over else standing
