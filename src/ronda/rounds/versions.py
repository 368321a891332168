"""What people do with versions: pin them, so that nobody forgets them, and forget them, with a reason on record."""

from __future__ import annotations

import uuid

from django.db import transaction
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.accounts.roles import require
from ronda.archive import services as archive
from ronda.archive.warc_writer import Appending
from ronda.archive.withdrawals import forget_captures
from ronda.errors import InvalidInput
from ronda.rounds import leftovers
from ronda.rounds.authority import source_to_change
from ronda.rounds.errors import NoSuchVersion, VersionPinned
from ronda.rounds.models import Version
from ronda.rounds.queries import version_seen


def pin(*, actor: Person | None, version_id: uuid.UUID, is_pinned: bool = True) -> Version:
    """A pinned version cannot be forgotten. Pinning it again changes nothing."""
    with transaction.atomic():
        version = _to_change(actor, version_id)
        if is_pinned != (version.pinned_at is not None):
            version.pinned_at = timezone.now() if is_pinned else None
            version.save(update_fields=["pinned_at"])
    return version


def forget(*, actor: Person | None, version_id: uuid.UUID, because: str) -> Version:
    """It is no longer shown, found or replayed; its row says who did it, when and why.

    So is what no version has and shows the same (`leftovers`). What later versions refer to is still read for them: an
    unchanged page of theirs is theirs, too.
    """
    person = require(actor)
    reason = because.strip()
    if not reason or len(reason) > 300 or not reason.isprintable():
        raise InvalidInput("Say why, in 1 to 300 printable characters.", field="because")
    version_seen(person, version_id)
    # The archive's file before the transaction, as whoever brings captures takes them.
    with archive.writer().appending() as appending, transaction.atomic():
        return forget_within(actor=person, version_id=version_id, because=reason, appending=appending)


def forget_within(*, actor: Person, version_id: uuid.UUID, because: str, appending: Appending) -> Version:
    """The same in a transaction that forgets more than that. `because` was checked."""
    version = _to_change(actor, version_id)
    if version.pinned_at:
        raise VersionPinned()
    version.forgotten_at, version.forgotten_because = timezone.now(), because
    version.forgotten_by = actor
    version.save(update_fields=["forgotten_at", "forgotten_because", "forgotten_by"])
    forget_captures(visit=version.visit_id, because=because, appending=appending)
    leftovers.forget_beside(version, because=because, appending=appending)
    return version


def _to_change(actor: Person | None, version_id: uuid.UUID) -> Version:
    """Locked; call within a transaction."""
    seen = version_seen(actor, version_id)
    source_to_change(actor, seen.source_id)
    version = Version.objects.select_for_update().filter(pk=version_id, forgotten_at=None).first()
    if version is None:
        raise NoSuchVersion()
    return version
