"""A version was made: who is to hear of it, and when. Written in the very transaction, so that none is forgotten."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Q
from django.utils import timezone

from ronda.rounds.listening import register_score_listener, register_version_listener
from ronda.rounds.models import Source, Version
from ronda.rounds.notification_models import Notice, Rhythm, Subscription
from ronda.rounds.score_models import VersionScore
from ronda.rounds.site_diffs import diff_between


def is_important(version: Version) -> bool:
    """Whether people are told: its score reaches the threshold, and it is no return to what was. The first version is,
    and so is one that is not weighed yet: its notices wait for that."""
    if version.forgotten_at is not None:
        return False
    weight = VersionScore.objects.filter(version=version).first()
    return weight is None or weight.is_important


def weighed(weight: VersionScore) -> None:
    """Nobody hears of what turned out not to matter."""
    if not is_important(weight.version):
        Notice.objects.filter(version=weight.version, sent_at=None).delete()


def heard_of(version: Version) -> None:
    previous = (
        Version.objects.filter(source=version.source_id, number__lt=version.number, forgotten_at=None)
        .order_by("-number")
        .first()
    )
    diff_between(previous, version)
    if is_important(version):
        _note(version)


def _note(version: Version) -> None:
    """One notice a target, at the earliest time any of its subscriptions asks for."""
    now = timezone.now()
    due: dict[int, datetime] = {}
    for subscription in _subscriptions(version.source):
        at = due_at(subscription, now)
        due[subscription.target_id] = min(at, due.get(subscription.target_id, at))
    Notice.objects.bulk_create(
        (Notice(version=version, target_id=target, due_at=at) for target, at in due.items()),
        ignore_conflicts=True,
    )


def _subscriptions(source: Source) -> list[Subscription]:
    is_mine = Q(source=None, collection=None, target__person=source.owner_id)
    wanted = Q(source=source) | Q(collection=source.collection_id)
    return list(Subscription.objects.filter(wanted | is_mine if source.owner_id else wanted))


def due_at(subscription: Subscription, now: datetime) -> datetime:
    """Now, or the next time of its digest."""
    if subscription.rhythm == Rhythm.AT_ONCE:
        return now
    at = now.replace(hour=subscription.hour, minute=0, second=0, microsecond=0)
    if subscription.rhythm == Rhythm.WEEKLY:
        at += timedelta(days=(subscription.weekday - at.weekday()) % 7)
        return at if at > now else at + timedelta(days=7)
    return at if at > now else at + timedelta(days=1)


register_version_listener(heard_of)
register_score_listener(weighed)
