"""Imported captures that are no longer offered: forgotten by a director, for a reason that stays on record.

What was fetched here is forgotten with its version. An imported capture belongs to no version, only to its collection.
"""

from __future__ import annotations

from django.db import transaction
from django.db.models import QuerySet

from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.archive import services
from ronda.archive.errors import NoSuchCapture
from ronda.archive.models import Capture, Collection, Forgetting
from ronda.archive.queries import captures_in, collection_seen
from ronda.archive.urlkeys import stretch_of
from ronda.archive.withdrawals import forget_each
from ronda.errors import InvalidInput


def forget_capture(*, actor: Person | None, capture_id: int, because: str) -> Forgetting:
    """One imported capture."""
    person, reason = require(actor, Role.DIRECTOR), checked_reason(because)
    captures = imported(captures_in(person, "")).filter(pk=capture_id)
    found = captures.select_related("collection").first()
    if found is None or found.collection is None:
        raise NoSuchCapture("There is no imported capture of this number.")
    return _forget(person, captures, found.collection, found.url, reason)


def forget_imported(*, actor: Person | None, collection: str, url: str, because: str) -> Forgetting:
    """All imported captures of a URL, or of a pattern (`http://a.example/*`, `*.a.example`), in one collection."""
    person, reason = require(actor, Role.DIRECTOR), checked_reason(because)
    found = collection_seen(person, collection)
    stretch = stretch_of(url)
    captures = imported(captures_in(person, found.slug)).filter(
        urlkey__gte=stretch.first, urlkey__lt=stretch.end
    )
    return _forget(person, captures, found, url, reason)


def imported(captures: QuerySet[Capture]) -> QuerySet[Capture]:
    """Those that no node fetched."""
    return captures.filter(node=None)


def checked_reason(because: str) -> str:
    reason = because.strip()
    if not reason or len(reason) > 300 or not reason.isprintable():
        raise InvalidInput("Say why, in 1 to 300 printable characters.", field="because")
    return reason


def _forget(
    person: Person, captures: QuerySet[Capture], collection: Collection, url: str, reason: str
) -> Forgetting:
    with services.writer().appending() as appending, transaction.atomic():
        count = forget_each(captures=captures.filter(visit=None), because=reason, appending=appending)
        if not count:
            raise NoSuchCapture("Nothing of it was imported.")
        return Forgetting.objects.create(
            url=url, collection=collection, captures=count, because=reason, forgotten_by=person
        )


def forgettings(*, actor: Person | None) -> QuerySet[Forgetting]:
    """Newest first."""
    require(actor, Role.DIRECTOR)
    return Forgetting.objects.select_related("collection", "forgotten_by").order_by("-pk")
