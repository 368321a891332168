"""Pages of one source: what it is, when it was and will be visited, what was kept; edit, pause, visit, cancel."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from ronda.accounts.authentication import actor_of
from ronda.archive.models import FavouriteKind
from ronda.errors import Conflict, InvalidInput, http_status
from ronda.http.fragments import render_live
from ronda.http.paging import page_wanted, paginate
from ronda.http.wording import attach, wording
from ronda.rounds import looks, progress, queries, services, statistics, visiting
from ronda.rounds.authority import is_changeable, source_to_change
from ronda.rounds.errors import EditedMeanwhile
from ronda.rounds.favourites import is_starred
from ronda.rounds.feed_keys import feed_token
from ronda.rounds.forms import SourceForm
from ronda.rounds.models import VisitState
from ronda.rounds.noise_models import IN_FORCE

VISITS_A_PAGE = 15
LATEST_VERSIONS = 10


@require_safe
def source(request: HttpRequest, source_id: uuid.UUID) -> HttpResponse:
    actor = actor_of(request)
    found = queries.source_shown(actor=actor, source_id=source_id)
    kept = queries.versions_of(actor=actor, source_id=source_id)
    under_way = queries.open_visit(found)
    context = {
        "source": found,
        "now": timezone.now(),
        "visit": under_way,
        "progress": progress.progress_of(under_way) if under_way else None,
        "is_mine": is_changeable(actor, found),
        "is_starred": is_starred(actor=actor, kind=FavouriteKind.SOURCE, key=found.pk),
        "feed_token": feed_token(actor=actor),
        "news": looks.news_of(actor=actor, source=found),
        "versions": kept.order_by("-number")[:LATEST_VERSIONS],
        "noise_rules": found.noise.filter(state__in=IN_FORCE).count(),
        "days": statistics.days_of(found),
        "steps": statistics.steps_of(kept),
        "page": paginate(
            queries.visits_of(actor=actor, source_id=source_id),
            page_wanted(request, VISITS_A_PAGE),
            sortable={"opened_at": "opened_at"},
            default="-opened_at",
        ),
    }
    return render_live(request, page="rounds/source.html", part="rounds/source_part.html", context=context)


@require_safe
def versions(request: HttpRequest, source_id: uuid.UUID) -> HttpResponse:
    actor = actor_of(request)
    page = paginate(
        queries.versions_of(actor=actor, source_id=source_id),
        page_wanted(request, 50),
        sortable={name: name for name in ("number", "documents", "bytes_stored", "bytes_saved")},
        default="-number",
    )
    context = {
        "source": queries.source_seen(actor, source_id),
        "page": page,
        "forgotten": queries.forgotten_versions(actor=actor, source_id=source_id),
    }
    return render(request, "rounds/versions.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, source_id: uuid.UUID) -> HttpResponse:
    actor = actor_of(request)
    source_to_change(actor, source_id)
    found = queries.source_seen(actor, source_id)
    form = SourceForm(actor, request.POST if request.method == "POST" else None, source=found)
    status = 422 if form.errors else 200
    if form.is_valid():
        try:
            services.edit(
                actor=actor,
                source_id=source_id,
                changes=form.wished(),
                edition=form.cleaned_data["edition"],
                owner=form.new_owner,
            )
        except EditedMeanwhile as error:
            form.show_saved(found)
            attach(form, error)
            status = http_status(error)
        except (InvalidInput, Conflict) as error:
            attach(form, error)
            status = http_status(error)
        else:
            messages.success(request, _("Saved. It holds from the next visit on."))
            return redirect("source", source_id=source_id)
    return render(request, "rounds/source_form.html", {"form": form, "source": found}, status=status)


@require_POST
def pause(request: HttpRequest, source_id: uuid.UUID) -> HttpResponse:
    return _do(request, source_id, services.pause, _("It is not visited until it is resumed."))


@require_POST
def resume(request: HttpRequest, source_id: uuid.UUID) -> HttpResponse:
    return _do(request, source_id, services.resume, _("It is followed again."))


@require_POST
def visit_now(request: HttpRequest, source_id: uuid.UUID) -> HttpResponse:
    return _do(request, source_id, visiting.ask_for_visit, _("The visit begins within seconds."))


@require_http_methods(["GET", "HEAD", "POST"])
def cancel(request: HttpRequest, source_id: uuid.UUID) -> HttpResponse:
    if request.method == "POST":
        return _do(request, source_id, visiting.cancel_visit, _("The visit is being cancelled."))
    source_to_change(actor_of(request), source_id)
    context = {
        "title": _("Cancel this visit?"),
        "explanation": _(
            "What waits is not fetched, and this visit makes no version. The source stays followed."
        ),
        "action": _("Cancel the visit"),
        "back_label": _("Let it run"),
        "back": reverse("source", args=[source_id]),
    }
    return render(request, "console/confirm.html", context)


def _do(request: HttpRequest, source_id: uuid.UUID, service: Callable[..., Any], said: str) -> HttpResponse:
    try:
        service(actor=actor_of(request), source_id=source_id)
    except Conflict as error:
        messages.error(request, wording(error))
    else:
        messages.success(request, said)
    return redirect("source", source_id=source_id)


@require_safe
def visit(request: HttpRequest, visit_id: int) -> HttpResponse:
    """A visit, live while it is under way."""
    actor = actor_of(request)
    found = queries.visit_seen(actor, visit_id)
    now = progress.progress_of(found)
    context = {
        "visit": found,
        "source": found.source,
        "version": queries.version_of(found),
        "progress": now,
        "counts": list(now.counts.items()),
        "is_open": found.state != VisitState.ENDED,
        "is_mine": is_changeable(actor, found.source),
    }
    return render_live(request, page="rounds/visit.html", part="rounds/visit_part.html", context=context)
