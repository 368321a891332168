"""Feeds and sitemaps of a source, looked at between its visits where that pays: one request instead of a visit.

Through the frontier and the grid like everything else. What is new in one is a signal.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, F, OuterRef
from django.utils import timezone

from ronda.archive.models import Capture
from ronda.archive.reading import payload
from ronda.frontier import services as frontier
from ronda.frontier.blocks import Wanted
from ronda.frontier.ending import forget_batches
from ronda.frontier.models import Batch
from ronda.frontier.purposes import Belonging, Ended, OutcomeState, register_purpose
from ronda.rounds import fingerprints, notifying, pushing
from ronda.rounds.beacon_times import step_of
from ronda.rounds.known import known_of
from ronda.rounds.listening import register_version_listener
from ronda.rounds.models import Beacon, PageRole, SourceState, Version, Visit, VisitState
from ronda.rounds.prediction_models import SignalKind
from ronda_node.policy import ANYWHERE
from ronda_node.urls import canonicalise

logger = logging.getLogger(__name__)

BEACON = "beacon"
KINDS = {PageRole.FEED: SignalKind.FEED, PageRole.SITEMAP: SignalKind.SITEMAP}
MOST_OF_A_SOURCE = 2
BEACONS_A_TURN = 200


def find(version: Version) -> None:
    """The feeds and sitemaps that a version holds, feeds first; those it no longer has are forgotten."""
    pages = version.visit.pages.filter(role__in=KINDS, status=200, capture__isnull=False).order_by(
        "role", "pk"
    )
    found = list(pages[:MOST_OF_A_SOURCE])
    Beacon.objects.filter(source=version.source_id).exclude(
        url_digest__in=[page.url_digest for page in found]
    ).delete()
    for page in found:
        Beacon.objects.update_or_create(
            source_id=version.source_id,
            url_digest=page.url_digest,
            # Its entries are read when it is next seen to be another file.
            defaults={
                "url": page.url,
                "kind": KINDS[PageRole(page.role)],
                "capture_id": page.capture_id,
                "fingerprint": "",
            },
        )


def look_at_due() -> None:
    """A request for each that is due; a source that is being visited needs none."""
    now = timezone.now()
    under_way = Visit.objects.filter(source=OuterRef("source")).exclude(state=VisitState.ENDED)
    due = (
        Beacon.objects.filter(~Exists(under_way), next_look_at__lte=now, source__state=SourceState.ACTIVE)
        .select_related("source", "capture__file", "capture__refers_to__file")
        .order_by("next_look_at")[:BEACONS_A_TURN]
    )
    for beacon in due:
        with transaction.atomic():
            _ask(beacon, now)


def _ask(beacon: Beacon, now: datetime) -> None:
    """A batch a look, as a batch takes a URL once."""
    next_look_at = now + step_of(beacon.source.auto_seconds)
    Beacon.objects.filter(pk=beacon.pk).update(looks=F("looks") + 1, next_look_at=next_look_at)
    url = canonicalise(beacon.url, ANYWHERE)
    batch = frontier.open_batch(purpose=BEACON, owner=f"{beacon.pk}/{beacon.looks + 1}", priority=1)
    wanted = Wanted(
        url.text,
        url.authority,
        url.scheme,
        is_for_trusted=not beacon.source.is_for_any_node,
        known=known_of(beacon.capture) if beacon.capture else None,
        is_kept_unchanged=False,
    )
    frontier.put_requests(batch=batch, wanted=[wanted])


def _beacon_id(batch: Batch) -> int:
    return int(batch.owner.partition("/")[0])


def _hear(batch: Batch, ended: Sequence[Ended]) -> None:
    """In the transaction of the upload: only noted; a worker reads it."""
    for one in ended:
        outcome = one.outcome
        is_new = outcome.state == OutcomeState.FETCHED and outcome.status == 200 and not outcome.is_unchanged
        if is_new and outcome.capture_id:
            pushing.push_beacon(_beacon_id(batch), outcome.capture_id)


def _belonging(batch: Batch) -> Belonging:
    beacon = Beacon.objects.select_related("source").filter(pk=_beacon_id(batch)).first()
    return Belonging(beacon.source.collection_id, beacon.source_id) if beacon else Belonging()


def read(beacon_id: int, capture_id: int) -> None:
    """Another file came: a signal, if it names other things than the one before."""
    beacon = (
        Beacon.objects.select_related("source", "capture__file", "capture__refers_to__file")
        .filter(pk=beacon_id)
        .first()
    )
    fresh = Capture.objects.select_related("file", "refers_to__file").filter(pk=capture_id).first()
    if beacon is None or fresh is None:
        return
    before = beacon.fingerprint or _fingerprint(beacon.capture)
    beacon.capture, beacon.fingerprint = fresh, _fingerprint(fresh)
    beacon.save(update_fields=["capture", "fingerprint"])
    if beacon.fingerprint and before and beacon.fingerprint != before:
        notifying.hear(beacon.source, SignalKind(beacon.kind), at=timezone.now(), url=beacon.url)


def _fingerprint(capture: Capture | None) -> str:
    """Nothing, if what was kept cannot be read here."""
    try:
        return fingerprints.fingerprint(payload(capture, fingerprints.MOST_BYTES)) if capture else ""
    except (OSError, EOFError) as error:
        logger.warning("cannot read %s: %s", capture, error)
        return ""


def forget_requests() -> None:
    """Looks that were answered."""
    forget_batches(list(Batch.objects.filter(purpose=BEACON).values_list("pk", flat=True)))


register_purpose(BEACON, _hear, belonging=_belonging)
register_version_listener(find)
