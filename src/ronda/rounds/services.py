"""What people do with sources: follow, edit, pause, resume, delete."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext_noop

from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.archive import collections
from ronda.archive import services as archive
from ronda.archive.moves import move_captures
from ronda.archive.queries import visible_collections
from ronda.archive.withdrawals import forget_source
from ronda.errors import InvalidInput
from ronda.policies.queries import value_of
from ronda.rounds import leftovers, planning, versions, visiting, wishes
from ronda.rounds.authority import source_to_change
from ronda.rounds.errors import AlreadyFollowed, EditedMeanwhile, VisitUnderWay
from ronda.rounds.models import Removal, Source, SourceState, Visit, VisitState
from ronda.rounds.policies import DEFAULT_COLLECTION
from ronda.rounds.wishes import Wish

FIRST_VISIT = gettext_noop("It was not visited yet.")
RESUMED = gettext_noop("It was resumed.")
EDITED = gettext_noop("How often was changed.")


def follow(*, actor: Person | None, wish: Wish) -> Source:
    """The first visit is due at once."""
    person = require(actor, Role.SUBSCRIBER, Role.DIRECTOR)
    source = Source(owner=person, next_visit_at=timezone.now(), next_visit_because=FIRST_VISIT)
    _apply(person, source, wish)
    _save(source)
    return source


def edit(
    *,
    actor: Person | None,
    source_id: uuid.UUID,
    changes: Mapping[str, Any],
    edition: int | None = None,
    owner: str | None = None,
) -> Source:
    """`changes` are fields of a `Wish`; what is not named stays. They hold from the next visit on.

    `edition`: the one the changes were made to; if there is a newer one, nothing is changed. `owner`: to whom a
    director gives it, by mail address.
    """
    person = require(actor, Role.SUBSCRIBER, Role.DIRECTOR)
    with ExitStack() as stack:
        # The archive's file before the transaction, as whoever brings captures takes them.
        appending = stack.enter_context(archive.writer().appending()) if "collection" in changes else None
        stack.enter_context(transaction.atomic())
        source = to_change(actor=person, source_id=source_id)
        if edition is not None and edition != source.edition:
            raise EditedMeanwhile()
        before, place = _when(source), source.collection_id
        source.edition += 1
        _apply(person, source, replace(wishes.wish_of(source), **changes))
        if owner is not None:
            source.owner = _new_owner(person, owner, source)
        if _when(source) != before and source.state == SourceState.ACTIVE:
            planning.plan_anew(source, EDITED)
        _save(source)
        if appending and source.collection_id != place:
            move_captures(appending=appending, source=source.pk, collection=source.collection)
    return source


def _new_owner(director: Person, address: str, source: Source) -> Person:
    """By mail address. Whoever is to own a source must be allowed to follow it."""
    require(director, Role.DIRECTOR)
    found = Person.objects.filter(email__iexact=address.strip(), is_active=True).first()
    if found is None or not found.has_role(Role.SUBSCRIBER, Role.DIRECTOR):
        raise InvalidInput("Name a person who may follow sources, by mail address.", field="owner")
    if not visible_collections(found).filter(pk=source.collection_id).exists():
        raise InvalidInput("This person may not see the collection the source stands in.", field="owner")
    return found


def _when(source: Source) -> tuple[int | None, str, float]:
    """What its next visit goes by."""
    return source.every_seconds, source.predictor, source.weight


def pause(*, actor: Person | None, source_id: uuid.UUID) -> Source:
    """No more visits until it is resumed; one that is under way goes on."""
    with transaction.atomic():
        source = to_change(actor=actor, source_id=source_id)
        if source.state == SourceState.ACTIVE:
            _set_state(source, SourceState.PAUSED)
    return source


def resume(*, actor: Person | None, source_id: uuid.UUID) -> Source:
    """Follow it again, paused or ended; the next visit is due at once."""
    with transaction.atomic():
        source = to_change(actor=actor, source_id=source_id)
        if source.state != SourceState.ACTIVE:
            source.next_visit_at, source.next_visit_because = timezone.now(), RESUMED
            _set_state(source, SourceState.ACTIVE)
    return source


def end(*, actor: Person | None, source_id: uuid.UUID) -> Source:
    """Delete it without its versions: no longer followed, and all that was kept stays to be found."""
    with transaction.atomic():
        source = to_change(actor=actor, source_id=source_id)
        if source.state != SourceState.ENDED:
            _set_state(source, SourceState.ENDED)
        if _open_visits(source):
            visiting.cancel_visit(actor=actor, source_id=source_id)
    return source


def remove(*, actor: Person | None, source_id: uuid.UUID, because: str) -> Removal:
    """Delete it with its versions: they are forgotten, the source is gone, and who did it and why stays on record.

    So is all else that was kept for it, of visits that made no version.
    """
    person = require(actor, Role.SUBSCRIBER, Role.DIRECTOR)
    because = reason_given(because)
    source_to_change(person, source_id)
    with archive.writer().appending() as appending, transaction.atomic():
        source = to_change(actor=person, source_id=source_id)
        if _open_visits(source):
            raise VisitUnderWay()
        kept = list(source.versions.filter(forgotten_at=None).order_by("number"))
        for version in kept:
            versions.forget_within(actor=person, version_id=version.pk, because=because, appending=appending)
        forget_source(source=source.pk, because=because, appending=appending)
        leftovers.forget_imported_beside(source, because=because, appending=appending)
        removal = Removal.objects.create(
            source=source.pk,
            url=source.url,
            collection=source.collection,
            versions=len(kept),
            because=because,
            removed_by=person,
        )
        source.delete()
    return removal


def reason_given(because: str) -> str:
    because = because.strip()
    if not because or len(because) > 300 or not because.isprintable():
        raise InvalidInput("Say why, in 1 to 300 printable characters.", field="because")
    return because


def to_change(*, actor: Person | None, source_id: uuid.UUID) -> Source:
    """The source, locked, if it is the actor's own or the actor directs. Call within a transaction."""
    source_to_change(actor, source_id)
    return Source.objects.select_for_update(of=("self",)).select_related("collection").get(pk=source_id)


def _apply(person: Person, source: Source, wish: Wish) -> None:
    wishes.check(wish)
    name = wish.collection or str(value_of(DEFAULT_COLLECTION))
    source.url = wishes.canonical(wish.url)
    source.collection = collections.collection_wanted(actor=person, slug=name)
    source.topic = None if wish.topic is None else collections.topic_wanted(code=wish.topic)
    source.tags = wishes.tidy_tags(wish.tags)
    source.title = wish.title.strip()
    for name in (
        "scope",
        "depth",
        "max_pages",
        "max_bytes",
        "max_seconds",
        "every_seconds",
        "threshold",
        "notes",
    ):
        setattr(source, name, getattr(wish, name))
    source.is_for_any_node = wish.is_for_any_node
    source.predictor, source.weight = wish.predictor.strip(), wish.weight


def _save(source: Source) -> None:
    try:
        with transaction.atomic():
            source.save()
    except IntegrityError:
        twin = Source.objects.filter(collection=source.collection, url=source.url, scope=source.scope).first()
        if twin is None:
            raise
        values = {"url": source.url, "collection": source.collection.name, "source": twin.pk}
        raise AlreadyFollowed(values=values) from None


def _set_state(source: Source, state: SourceState) -> None:
    source.state = state
    if state != SourceState.ACTIVE:
        source.next_visit_at, source.next_visit_because = None, ""
    source.next_visit_values, source.next_visit_chance = {}, None
    source.save(update_fields=["state", *planning.PLANNED])


def _open_visits(source: Source) -> bool:
    return Visit.objects.filter(source=source).exclude(state=VisitState.ENDED).exists()
