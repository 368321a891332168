"""Captures that are part of no version: of visits that found nothing new, were cancelled or failed, and of beacons.

What people forget goes with all that says the same. Nobody else could: it stands in no list.
"""

from __future__ import annotations

from datetime import timedelta

from django.db.models import Q, QuerySet
from django.utils import timezone

from ronda.archive.models import Capture
from ronda.archive.warc_writer import Appending
from ronda.archive.withdrawals import forget_captures, forget_each, forget_source
from ronda.rounds.models import Removal, Source, Version, Visit, VisitOutcome, VisitState

NOTHING_NEW = "the visit found nothing new"
TARGET_FORGOTTEN = "what it refers to was forgotten"
# So long after its end a visit may still get answers; what a crash left undone is found until then, too.
LATE = timedelta(days=1)
_REFERS_TO_FORGOTTEN = Q(refers_to__forgotten_at__isnull=False)


def forget_beside(version: Version, *, because: str, appending: Appending) -> None:
    """What is in no version and shows what this one did: seen between it and the next, or of the same payload.

    Call it when the version's own captures are forgotten, in that transaction.
    """
    later = version.source.versions.filter(number__gt=version.number).order_by("number").first()
    seen_then = Q(fetched_at__gte=version.started_at)
    if later:
        seen_then &= Q(fetched_at__lt=later.started_at)
    holds = Q(pk__in=Capture.objects.filter(visit=version.visit_id).values("refers_to"))
    found = _in_no_version(version.source).filter(seen_then | holds | _REFERS_TO_FORGOTTEN)
    _forget_found(found, because, appending)
    forget_imported_beside(version.source, because=because, appending=appending)


def forget_imported_beside(source: Source, *, because: str, appending: Appending) -> None:
    """Revisits that others imported, of what is forgotten: they would go on showing it."""
    found = Capture.objects.filter(_REFERS_TO_FORGOTTEN, refers_to__source=source.pk, source=None)
    _forget_found(found, because, appending)


def _forget_found(found: QuerySet[Capture], because: str, appending: Appending | None = None) -> None:
    """By their numbers: what made them to be found may no longer hold while they are being forgotten."""
    numbers = list(found.filter(forgotten_at=None).values_list("pk", flat=True))
    forget_each(captures=Capture.objects.filter(pk__in=numbers), because=because, appending=appending)


def _in_no_version(source: Source) -> QuerySet[Capture]:
    """A visit under way may become one yet."""
    kept = Version.objects.filter(source=source, forgotten_at=None).values("visit")
    under_way = Visit.objects.filter(source=source).exclude(state=VisitState.ENDED).values("pk")
    mine = Capture.objects.filter(source=source.pk, forgotten_at=None)
    return mine.filter(Q(visit=None) | ~(Q(visit__in=kept) | Q(visit__in=under_way)))


def tidy(visit: Visit) -> None:
    """After a visit ended without a version, and outside of transactions: the archive's file comes before them.

    A capture that found nothing new leaves nothing but its row; of others what nobody forgot stays to be found.
    """
    if visit.outcome == VisitOutcome.UNCHANGED and visit.capture_began_at:
        forget_captures(visit=visit.pk, because=NOTHING_NEW)
    elif visit.outcome not in (VisitOutcome.CAPTURED, VisitOutcome.OPEN):
        _forget_found(Capture.objects.filter(_REFERS_TO_FORGOTTEN, visit=visit.pk), TARGET_FORGOTTEN)


def forget_what_came_late() -> None:
    """An upload may be on its way while a source is deleted or a visit ends, and a process may end in between."""
    since = timezone.now() - LATE
    for removal in Removal.objects.filter(removed_at__gte=since):
        forget_source(source=removal.source, because=removal.because)
    captured = Visit.objects.filter(
        outcome=VisitOutcome.UNCHANGED, opened_at__gte=since, capture_began_at__isnull=False
    )
    left = Capture.objects.filter(visit__in=captured.values("pk"), forgotten_at=None)
    for visit_id in captured.filter(pk__in=left.values("visit")).values_list("pk", flat=True):
        forget_captures(visit=visit_id, because=NOTHING_NEW)
