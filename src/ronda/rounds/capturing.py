"""The capture of a source: what was answered is read, what it leads to is asked for, while there is budget."""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from ronda.archive.reading import files_kept_open
from ronda.database.named_sql import named_sql
from ronda.frontier.services import digest_of
from ronda.rounds import closing, leads
from ronda.rounds.models import PageRole, PageState, Visit, VisitPage, VisitState
from ronda.rounds.queueing import NewPage, add_pages, ask_again, ask_for, url_policy
from ronda.rounds.selecting import MOST_MOVES, Candidate, Selection
from ronda_node.urls import canonicalise

# A step reads so many answers: about a tenth of a second of work.
PAGES_A_STEP = 300
# Beyond that, what was left out is only counted.
MOST_LEFT_ROWS = 1000
URLS_A_STEP = 20_000
# Of captures: what only others look at. Moments and ids are slow to load.
NOT_OF_LEADS = tuple(
    f"{way}__{name}"
    for way in ("capture", "capture__refers_to")
    for name in (
        "urlkey",
        "url_digest",
        "fetched_at",
        "address",
        "node",
        "owner",
        "voided_at",
        "forgotten_at",
    )
)


def begin(visit: Visit, brought: Sequence[VisitPage] = ()) -> None:
    """From the entry page on. `brought`: what the probe has fetched anew is not fetched again."""
    with transaction.atomic():
        VisitPage.objects.filter(visit=visit, state=PageState.ANSWERED).exclude(
            pk__in=[page.pk for page in brought]
        ).update(state=PageState.LEFT)
        visit.state, visit.capture_began_at = VisitState.CAPTURING, timezone.now()
        added = add_pages(visit, [NewPage(canonicalise(visit.source.url, url_policy()), PageRole.ENTRY)])
        ask_for(visit, added)
        again = visit.pages.filter(state__in=[PageState.LEFT, PageState.FAILED, PageState.REFUSED])
        ask_again(visit, list(again))
        visit.save(update_fields=["state", "capture_began_at"])


def is_out_of_time(visit: Visit) -> bool:
    since = visit.capture_began_at or visit.opened_at
    return timezone.now() > since + timedelta(seconds=visit.source.max_seconds)


def go_on(visit: Visit, most_pages: int = PAGES_A_STEP) -> None:
    """One piece of what was answered; then see whether it is over."""
    answered = list(
        visit.pages.filter(state=PageState.ANSWERED)
        .select_related("capture__file", "capture__refers_to__file")
        .defer(*NOT_OF_LEADS)
        .order_by("pk")[:most_pages]
    )
    has_asked = bool(answered) and _read(visit, answered)
    if reason := _budget_reached(visit):
        closing.end_early(visit, reason)
    elif not has_asked and not visit.pages.filter(state__in=[PageState.QUEUED, PageState.ANSWERED]).exists():
        closing.close(visit)


def _budget_reached(visit: Visit) -> str:
    if visit.size_bytes >= visit.source.max_bytes:
        return f"ended at {visit.source.max_bytes:,} bytes"
    if is_out_of_time(visit):
        return f"ended after {visit.source.max_seconds:,} seconds"
    return ""


def _read(visit: Visit, answered: Sequence[VisitPage]) -> bool:
    """Whether anything is to be waited for now that was not before.

    Files are read before anything is locked; hosts, batches and the visit are locked in the order of uploads.
    """
    with files_kept_open():
        read, found = _found_on(visit, answered)
    selection = _selection(visit, found)
    with transaction.atomic():
        moved = {page: row for page in read if (row := leads.settled(page, visit))}
        visit.pages.filter(pk__in=[page.pk for page in read]).update(state=PageState.DONE)
        if moved:
            VisitPage.objects.bulk_update(moved, ["capture"])
            VisitPage.objects.bulk_create(moved.values(), ignore_conflicts=True)
        _note_left_out(visit, selection)
        added = add_pages(visit, selection.taken)
        ask_for(visit, added)
        visit.size_bytes += sum(
            page.capture.page_bytes for page in read if page.capture and not page.is_unchanged
        )
        visit.requests += len(read)
        visit.save(update_fields=["requests", "size_bytes", "left_out"])
    return bool(added)


def _found_on(visit: Visit, answered: Sequence[VisitPage]) -> tuple[list[VisitPage], dict[str, Candidate]]:
    """Pages are read until enough was found for one step; those behind have their turn in the next."""
    read: list[VisitPage] = []
    found: dict[str, Candidate] = {}
    seen: set[leads.Found] = set()
    for page in answered:
        if len(found) >= URLS_A_STEP:
            break
        read.append(page)
        for one in leads.found_on(page, visit.source):
            # What stands on every page is looked at once.
            if one in seen:
                continue
            seen.add(one)
            candidate = Candidate.of(one, page)
            url = candidate.url.text
            found[url] = min(found.get(url, candidate), candidate, key=lambda one: one.rank)
    return read, found


def _selection(visit: Visit, found: dict[str, Candidate]) -> Selection:
    """What the visit has had is not looked at again; what it left may be nearer this way."""
    arguments: dict[str, Any] = {"visit": visit.pk, "digests": [digest_of(url) for url in found]}
    with connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.rounds", "so_far"), arguments)
        met, by_role, patterns, entries = cursor.fetchone()
    for url in met:
        found.pop(url, None)
    moves = _moves_before({one.found_on for one in found.values() if one.is_moved})
    counts = {uuid.UUID(pattern): number for pattern, number in json.loads(patterns).items()}
    selection = Selection.of(
        visit.source, entries=entries, by_role=json.loads(by_role), patterns=counts.items(), moves=moves
    )
    for candidate in found.values():
        selection.consider(candidate)
    return selection


def _moves_before(pages: Collection[int]) -> dict[int, int]:
    """Of pages that lead on: how many did so one behind the other until there."""
    if not pages:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.rounds", "moves_before"), {"pages": list(pages), "most": MOST_MOVES})
        return dict(cursor.fetchall())


def _note_left_out(visit: Visit, selection: Selection) -> None:
    """Each URL once, as far as rows are kept; beyond, every time. What is taken after all is no longer left."""
    if not (selection.left or visit.left_out):
        return
    counts = Counter(visit.left_out)
    digests = [digest_of(page.url.text) for page in selection.taken]
    arguments: dict[str, Any] = {"visit": visit.pk, "digests": digests}
    with connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.rounds", "no_longer_left"), arguments)
        again, earlier = cursor.fetchone()
    counts.subtract(again)
    room = max(0, MOST_LEFT_ROWS - earlier)
    reasons = {left.page.url.text: left.reason for left in selection.left}
    pages = add_pages(visit, [left.page for left in selection.left[:room]], reasons)
    counts.update(page.reason for page in pages)
    counts.update(left.reason for left in selection.left[room:])
    visit.left_out = dict(+counts)
