"""Makes the version of a capture: its number and its metrics, told to whoever listens in the same transaction."""

from __future__ import annotations

from django.db.models import F, Q, Sum
from django.utils import timezone

from ronda.archive.models import Capture
from ronda.rounds.listening import tell_version
from ronda.rounds.models import PageState, Version, Visit


def make_version(visit: Visit) -> Version:
    """Call within the transaction that ends the visit. Numbers go on behind forgotten versions, too."""
    captures = Capture.objects.filter(visit=visit.pk)
    sums = captures.aggregate(
        stored=Sum("length"),
        saved=Sum(F("refers_to__response_length") - F("response_length"), filter=Q(refers_to__isnull=False)),
    )
    newest = visit.source.versions.order_by("-number").values_list("number", flat=True).first()
    version = Version.objects.create(
        source=visit.source,
        visit=visit,
        number=(newest or 0) + 1,
        started_at=visit.opened_at,
        ended_at=timezone.now(),
        documents=visit.pages.filter(state=PageState.DONE, status__lt=400, capture__isnull=False).count(),
        bytes_stored=sums["stored"] or 0,
        bytes_saved=max(0, sums["saved"] or 0),
        failures=visit.failures,
        cut_off=visit.cut_off,
        warc_files=sorted(set(captures.values_list("file__name", flat=True))),
    )
    tell_version(version)
    return version


def note_index_seconds() -> None:
    """Of versions whose texts can all be found by now."""
    for version in Version.objects.filter(index_seconds=None, forgotten_at=None).order_by("ended_at")[:100]:
        if not Capture.objects.filter(visit=version.visit_id, is_text_due=True).exists():
            seconds = (timezone.now() - version.ended_at).total_seconds()
            Version.objects.filter(pk=version.pk, index_seconds=None).update(index_seconds=seconds)
