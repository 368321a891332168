"""Pages of one version: its numbers and pages; pin it, forget it."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from ronda.accounts.authentication import actor_of
from ronda.archive.models import FavouriteKind
from ronda.errors import Conflict, InvalidInput, http_status
from ronda.http.fragments import render_live
from ronda.http.paging import page_wanted, paginate
from ronda.http.wording import attach
from ronda.rounds import queries, versions
from ronda.rounds.authority import is_changeable, source_to_change
from ronda.rounds.favourites import is_starred
from ronda.rounds.forms import ForgetForm, PagesFilter
from ronda.rounds.looks import note_look

PAGES_SHOWN = 50
SORTABLE = {"url": "url", "status": "status", "size": "capture__payload_bytes", "depth": "depth"}


@require_safe
def version(request: HttpRequest, version_id: uuid.UUID) -> HttpResponse:
    actor = actor_of(request)
    if gone := queries.forgotten_versions(actor=actor).filter(pk=version_id).first():
        shown = {"version": gone, "source": gone.source}
        return render(request, "rounds/version_forgotten.html", shown, status=410)
    found = queries.version_seen(actor, version_id)
    asked = request.GET.copy()
    asked.setdefault("kind", "kept")
    wanted = PagesFilter(asked)
    chosen = wanted.cleaned_data if wanted.is_valid() else {}
    pages = queries.pages_of(actor=actor, version_id=version_id, **chosen)
    before, after = queries.neighbours(found)
    note_look(actor=actor, version=found)
    context = {
        "version": found,
        "source": found.source,
        "before": before,
        "after": after,
        "is_mine": is_changeable(actor, found.source),
        "is_starred": is_starred(actor=actor, kind=FavouriteKind.VERSION, key=found.pk),
        "filter": wanted,
        "is_filtered": chosen != {"search": "", "kind": "kept"},
        "page": paginate(pages, page_wanted(request, PAGES_SHOWN), sortable=SORTABLE, default="depth"),
    }
    return render_live(request, page="rounds/version.html", part="rounds/version_part.html", context=context)


@require_POST
def pin(request: HttpRequest, version_id: uuid.UUID, is_pinned: bool) -> HttpResponse:
    versions.pin(actor=actor_of(request), version_id=version_id, is_pinned=is_pinned)
    said = _("It is pinned: nobody forgets it by mistake.") if is_pinned else _("It is no longer pinned.")
    messages.success(request, said)
    return redirect("version", version_id=version_id)


@require_http_methods(["GET", "HEAD", "POST"])
def forget(request: HttpRequest, version_id: uuid.UUID) -> HttpResponse:
    actor = actor_of(request)
    found = queries.version_seen(actor, version_id)
    source_to_change(actor, found.source_id)
    form = ForgetForm(request.POST if request.method == "POST" else None)
    status = 422 if form.errors else 200
    if form.is_valid():
        try:
            versions.forget(actor=actor, version_id=version_id, because=form.cleaned_data["because"])
        except (InvalidInput, Conflict) as error:
            attach(form, error)
            status = http_status(error)
        else:
            messages.success(request, _("Version %(number)s is forgotten.") % {"number": found.number})
            return redirect("source", source_id=found.source_id)
    context = {"form": form, "version": found, "source": found.source}
    return render(request, "rounds/version_forget.html", context, status=status)
