"""Pages of differences: two states of a page, two versions of a source."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
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
from ronda.rounds.looks import news_of, note_look
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
        note_look(actor=actor, version=diff.after)
    return render_live(
        request, page="rounds/source_diff.html", part="rounds/source_diff_part.html", context=context
    )


@require_safe
def source_news(request: HttpRequest, source_id: uuid.UUID) -> HttpResponse:
    """What changed since one last looked. It leads to an address that stays what it is when looked at again."""
    actor = actor_of(request)
    news = news_of(actor=actor, source=source_seen(actor, source_id))
    address = reverse("source-diff", args=[source_id])
    if news.newest and news.seen and news.count:
        return redirect(f"{address}?{urlencode({'a': str(news.seen.pk), 'b': str(news.newest.pk)})}")
    if news.seen:
        messages.info(request, _("Nothing is new since you last looked. This is what changed before."))
    return redirect(address)


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
