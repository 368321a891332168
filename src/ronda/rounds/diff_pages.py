"""Pages of differences: two states of a page, two versions of a source."""

from __future__ import annotations

import uuid
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from ronda.accounts.authentication import actor_of
from ronda.accounts.models import Person
from ronda.change.texts import Kind, Row
from ronda.http.fragments import render_live
from ronda.http.paging import Page, page_wanted
from ronda.rounds import diffs
from ronda.rounds.change_wording import page_sentence, site_sentence
from ronda.rounds.diff_forms import PageDiffForm, VersionsForm
from ronda.rounds.diff_models import VersionDiff
from ronda.rounds.queries import source_seen, visible_versions
from ronda.rounds.shown_rows import without_the_same
from ronda.rounds.site_diffs import ranked

CONTEXT_LINES = 3
# A browser shows that many without trouble; the API gives all of them.
ROWS_SHOWN = 1_500
ITEMS_SHOWN = 500
PAGES_A_PAGE = 50
TABS = ("text", "structure", "assets", "links")


@require_safe
def page_diff(request: HttpRequest) -> HttpResponse:
    actor = actor_of(request)
    form = PageDiffForm(request.GET if "url" in request.GET else None)
    context: dict[str, Any] = {"form": form}
    if form.is_valid():
        asked = form.cleaned_data
        found = diffs.compare_page(actor=actor, url=asked["url"], a=asked["a"], b=asked["b"])
        rows = without_the_same(found.change.rows, CONTEXT_LINES)
        tab = request.GET.get("tab", "")
        context |= {
            "found": found,
            "summary": page_sentence(found.change),
            "tab": tab if tab in TABS else TABS[0],
            "is_side_by_side": request.GET.get("view") == "side",
            "rows": [_shown(row) for row in rows[:ROWS_SHOWN]],
            "rows_left_out": max(0, len(rows) - ROWS_SHOWN),
            "items_shown": ITEMS_SHOWN,
        }
    return render(request, "rounds/page_diff.html", context, status=422 if form.errors else 200)


def _shown(row: Any) -> dict[str, Any]:
    """A row as the template wants it: what stands left and right, in pieces."""
    if not isinstance(row, Row):
        return {"gap": row.lines}
    pieces = row.pieces
    return {
        "kind": row.kind.value,
        "row": row,
        "left": [piece for piece in pieces if piece.kind != Kind.ADDED],
        "right": [piece for piece in pieces if piece.kind != Kind.REMOVED],
    }


@require_safe
def source_diff(request: HttpRequest, source_id: uuid.UUID) -> HttpResponse:
    actor = actor_of(request)
    source = source_seen(actor, source_id)
    versions = list(visible_versions(actor).filter(source=source).order_by("-number"))
    form = VersionsForm(versions, request.GET)
    diff = _chosen(actor, form)
    context: dict[str, Any] = {"source": source, "form": form, "diff": diff, "versions": versions}
    if diff:
        context |= {"summary": site_sentence(diff), "page": _page(request, diff)}
    return render_live(
        request, page="rounds/source_diff.html", part="rounds/source_diff_part.html", context=context
    )


def _chosen(actor: Person, form: VersionsForm) -> VersionDiff | None:
    """The two that were chosen; else the newest, or the one that was, and the one before it."""
    before, after = form.chosen()
    if not after:
        return None
    a = str(before.pk) if before and before != after else ""
    return diffs.source_diff(actor=actor, source_id=after.source_id, a=a, b=str(after.pk))


def _page(request: HttpRequest, diff: VersionDiff) -> Page[Any]:
    wanted = page_wanted(request, PAGES_A_PAGE)
    rows = ranked(diff)
    start = (wanted.page - 1) * wanted.page_size
    items = list(rows[start : start + wanted.page_size])
    return Page(items, wanted.page, wanted.page_size, rows.count(), "")
