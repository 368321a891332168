"""The outbox: notices that are due are put together a target, sent by a worker, and tried again with patience.

At least once: a worker killed between the service's yes and our note of it sends again. Never is a notice lost.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Annotated, Any

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone, translation
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop
from pydantic import Field

from ronda.accounts.roles import Role
from ronda.jobs.kinds import Arguments, JobKind, register
from ronda.jobs.run import JobRun
from ronda.jobs.services import enqueue
from ronda.rounds.delivery import SEND_SECONDS, deliver
from ronda.rounds.diff_models import DiffState, VersionDiff
from ronda.rounds.messages import message_of, test_message
from ronda.rounds.notification_models import Notice, Target
from ronda.rounds.queries import visible_versions

logger = logging.getLogger(__name__)

# After the first failure, the second, and so on; the last one again and again.
PATIENCE = [timedelta(minutes=m) for m in (1, 5, 30, 2 * 60, 6 * 60, 24 * 60)]
# What a target did not take for so long is old news.
KEPT = timedelta(days=14)
SENT_KEPT = timedelta(days=90)
# Longer than one sending may take: a worker that is silent for so long is dead.
BUSY = timedelta(seconds=SEND_SECONDS * 3)
# A summary is worth a little waiting, but not for ever.
SUMMARY_PATIENCE = timedelta(minutes=15)
MOST_IN_A_MESSAGE = 50
PIECE = 100


class SendNoticesArguments(Arguments):
    target_id: Annotated[int, Field(title=gettext_noop("Target"))]
    is_test: Annotated[bool, Field(title=gettext_noop("A test only"))] = False


def due_notices() -> QuerySet[Notice]:
    """Due, and with what changed known, or not known for too long."""
    now = timezone.now()
    is_known = VersionDiff.objects.filter(after=OuterRef("version"), state=DiffState.DONE)
    return Notice.objects.filter(
        Exists(is_known) | Q(version__ended_at__lt=now - SUMMARY_PATIENCE), due_at__lte=now, sent_at=None
    )


def send_due() -> None:
    """For the leader: a sending job for each target that has something and is neither busy nor resting."""
    now = timezone.now()
    waiting = Target.objects.filter(
        Q(retry_at=None) | Q(retry_at__lte=now),
        Q(busy_until=None) | Q(busy_until__lte=now),
        pk__in=due_notices().values("target"),
    )
    for target in waiting[:PIECE]:
        with transaction.atomic():
            # Taken by whoever changes it first: one job a target at a time.
            if waiting.filter(pk=target.pk).update(busy_until=now + BUSY):
                enqueue_sending(target)


def enqueue_sending(target: Target, *, is_test: bool = False) -> None:
    arguments = {"target_id": target.pk, "is_test": is_test}
    enqueue(kind=SEND_NOTICES, owner=None, arguments=arguments)


def forget_old_notices() -> None:
    now = timezone.now()
    Notice.objects.filter(Q(sent_at=None, due_at__lt=now - KEPT) | Q(sent_at__lt=now - SENT_KEPT)).delete()


def _send(run: JobRun, arguments: SendNoticesArguments) -> dict[str, Any] | None:
    target = Target.objects.select_related("person").filter(pk=arguments.target_id).first()
    if target is None:
        return None  # removed meanwhile
    with translation.override(target.language):
        return _test(target) if arguments.is_test else _send_due_of(target)


def _test(target: Target) -> dict[str, Any]:
    error = deliver(target, test_message())
    _note(target, error)
    return {"sent": 0, "error": error}


def _send_due_of(target: Target) -> dict[str, Any]:
    # Whoever lost the right to see a version since hears nothing of it.
    if not target.person.is_active:
        due_notices().filter(target=target).delete()
        return {"sent": 0}
    seen = visible_versions(target.person).values("pk")
    due_notices().filter(target=target).exclude(version__in=seen).delete()
    mine = due_notices().filter(target=target)
    notices = list(mine.select_related("version__source").order_by("version__ended_at")[:MOST_IN_A_MESSAGE])
    if not notices:
        Target.objects.filter(pk=target.pk).update(busy_until=None)
        return {"sent": 0}
    error = deliver(target, message_of([notice.version for notice in notices]))
    with transaction.atomic():
        if not error:
            Notice.objects.filter(pk__in=[notice.pk for notice in notices]).update(sent_at=timezone.now())
        _note(target, error)
    return {"sent": 0 if error else len(notices), "error": error}


def _note(target: Target, error: str) -> None:
    now = timezone.now()
    if not error:
        Target.objects.filter(pk=target.pk).update(
            sent_at=now, failures=0, last_error="", retry_at=None, busy_until=None
        )
        return
    patience = PATIENCE[min(target.failures, len(PATIENCE) - 1)]
    logger.warning("notices to %s failed: %s", target.shown, error)
    Target.objects.filter(pk=target.pk).update(
        failures=F("failures") + 1, last_error=error, retry_at=now + patience, busy_until=None
    )


SEND_NOTICES = register(
    JobKind(
        name="send_notices",
        title=_("Send notices of new versions"),
        arguments=SendNoticesArguments,
        role=Role.ADMINISTRATOR,
        work=_send,
    )
)
