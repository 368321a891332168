"""What a person sets up to hear of new versions: targets, and what each of them hears of."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import get_language

from ronda.accounts.models import Person
from ronda.accounts.roles import require
from ronda.archive.queries import visible_collections
from ronda.errors import InvalidInput
from ronda.rounds.delivery import check_address
from ronda.rounds.errors import NoSuchSubscription, NoSuchTarget, TooManyTargets
from ronda.rounds.notification_models import Rhythm, Subscription, Target, TargetKind, Weekday
from ronda.rounds.queries import source_seen
from ronda.rounds.sending import enqueue_sending

MOST_TARGETS = 20
MOST_SUBSCRIPTIONS = 500


@dataclass(frozen=True)
class When:
    """`hour` (UTC) and `weekday` (0: Monday) are those of digests."""

    rhythm: str = Rhythm.AT_ONCE
    hour: int = 7
    weekday: int = Weekday.MONDAY


def targets(*, actor: Person | None) -> QuerySet[Target]:
    return (
        require(actor)
        .targets.prefetch_related("subscriptions__source", "subscriptions__collection")
        .order_by("pk")
    )


def target_of(*, actor: Person | None, target_id: int) -> Target:
    found = targets(actor=actor).filter(pk=target_id).first()
    if found is None:
        raise NoSuchTarget()
    return found


def add_target(*, actor: Person | None, kind: str, address: str = "") -> Target:
    """A mailbox is the person's own; an Apprise address is checked, and its secrets are never shown again."""
    person = require(actor)
    if kind == TargetKind.MAIL:
        address, shown = "", person.email
    else:
        address = address.strip()
        checked = check_address(address)
        if checked.error:
            raise InvalidInput(checked.error, field="address")
        shown = checked.shown
    if person.targets.count() >= MOST_TARGETS:
        raise TooManyTargets()
    values = {"shown": shown, "language": get_language() or "en"}
    return Target.objects.update_or_create(person=person, kind=kind, address=address, defaults=values)[0]


def remove_target(*, actor: Person | None, target_id: int) -> None:
    target_of(actor=actor, target_id=target_id).delete()


def subscribe(
    *,
    actor: Person | None,
    target_id: int,
    source_id: uuid.UUID | None = None,
    collection: str = "",
    when: When | None = None,
) -> Subscription:
    """To a source, a collection (by its short name), or, without both, everything of one's own. Again: changed."""
    target, when = target_of(actor=actor, target_id=target_id), when or When()
    if source_id and collection:
        raise InvalidInput("Choose a source or a collection, not both.", field="collection")
    source = source_seen(actor, source_id) if source_id else None
    found = visible_collections(actor).filter(slug=collection).first() if collection else None
    if collection and found is None:
        raise InvalidInput("There is no such collection, or it is not yours to see.", field="collection")
    if target.subscriptions.count() >= MOST_SUBSCRIPTIONS:
        raise TooManyTargets()
    return Subscription.objects.update_or_create(
        target=target, source=source, collection=found, defaults=vars(when)
    )[0]


def unsubscribe(*, actor: Person | None, subscription_id: int) -> None:
    found = Subscription.objects.filter(pk=subscription_id, target__person=require(actor))
    if not found.delete()[0]:
        raise NoSuchSubscription()


def ask_for_test(*, actor: Person | None, target_id: int) -> Target:
    """A worker sends a message that says it is a test; how it went stands beside the target."""
    target = target_of(actor=actor, target_id=target_id)
    with transaction.atomic():
        Target.objects.filter(pk=target.pk).update(retry_at=None)
        enqueue_sending(target, is_test=True)
    return target
