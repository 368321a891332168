"""Pages of fetches: the list, a new one, one with its progress and answers, cancelling."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from ronda.accounts.authentication import actor_of
from ronda.accounts.roles import Role, require
from ronda.errors import OUTCOMES, Conflict, InvalidInput, PaymentRequired, http_status
from ronda.grid import fetch_results, fetches
from ronda.grid.forms import FetchForm, ResultFilter
from ronda.grid.presence import countries_present
from ronda.grid.vantage import differences, vantage_summary
from ronda.http.fragments import render_live
from ronda.http.paging import page_wanted, paginate
from ronda.http.wording import attach, wording

RESULTS_A_PAGE = 25
DIFFERENCES_SHOWN = 25
UNPAID = OUTCOMES[PaymentRequired][0]


@require_safe
def all_fetches(request: HttpRequest) -> HttpResponse:
    actor = actor_of(request)
    page = paginate(
        fetches.fetches(actor=actor),
        page_wanted(request),
        sortable={"created_at": "created_at", "total": "batch__total"},
        default="-created_at",
    )
    context = {"page": page, "shows_owner": actor.is_administrator}
    return render_live(request, page="grid/fetches.html", part="grid/fetches_part.html", context=context)


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    actor = require(actor_of(request), Role.CLIENT)
    is_sent = request.method == "POST"
    form = FetchForm(request.POST if is_sent else None, request.FILES if is_sent else None)
    status = 422 if form.errors else 200
    if form.is_valid():
        try:
            made = fetches.create_fetch(
                actor=actor,
                urls=form.cleaned_data["wanted"],
                max_age_seconds=form.max_age_seconds,
                strategy=form.cleaned_data["strategy"] or None,
                vantage=form.cleaned_data["vantage"],
            )
        except (InvalidInput, PaymentRequired) as error:
            attach(form, error)
            status = http_status(error)
        else:
            messages.success(request, _("The URLs are in the queue."))
            return redirect("fetch", fetch_id=made.pk)
    context = {"form": form, "countries": countries_present(), "is_unpaid": status == UNPAID}
    return render(request, "grid/fetch_new.html", context, status=status)


@require_safe
def fetch(request: HttpRequest, fetch_id: uuid.UUID) -> HttpResponse:
    actor = actor_of(request)
    found = fetches.fetch(actor=actor, fetch_id=fetch_id)
    wanted = ResultFilter(request.GET)
    chosen = wanted.cleaned_data if wanted.is_valid() else {}
    answers = fetch_results.results(actor=actor, fetch_id=fetch_id, **chosen)
    # Of a room above this one: what clients said of answers.
    answers = answers.prefetch_related("reports")
    seen = vantage_summary(found)
    context = {
        "fetch": found,
        "vantage": seen,
        "differences": differences(found, DIFFERENCES_SHOWN) if seen and seen.differ else [],
        # Answers are compared when all are there: then there is still something to wait for.
        "is_over": found.is_done and (seen is None or len(seen.countries) < 2 or seen.is_compared),
        "filter": wanted,
        "chosen": chosen,
        "is_filtered": any(chosen.values()),
        "summary": fetch_results.summary(found),
        "page": paginate(answers, page_wanted(request, RESULTS_A_PAGE), sortable={"id": "pk"}, default="-id"),
        "knows_hosts": actor.has_role(Role.DIRECTOR),
    }
    return render_live(request, page="grid/fetch.html", part="grid/fetch_part.html", context=context)


@require_http_methods(["GET", "HEAD", "POST"])
def cancel(request: HttpRequest, fetch_id: uuid.UUID) -> HttpResponse:
    actor = actor_of(request)
    found = fetches.fetch(actor=actor, fetch_id=fetch_id)
    if request.method == "POST":
        try:
            cancelled = fetches.cancel_fetch(actor=actor, fetch_id=fetch_id)
        except Conflict as error:
            messages.error(request, wording(error))
        else:
            said = _("The fetch is cancelled.") if cancelled.is_done else _("The fetch is being cancelled.")
            messages.success(request, said)
        return redirect("fetch", fetch_id=fetch_id)
    if found.is_done:
        return redirect("fetch", fetch_id=fetch_id)
    context = {
        "title": _("Cancel this fetch?"),
        "explanation": _(
            "URLs that wait are not fetched; those a node is fetching now end by themselves. "
            "What has been answered stays."
        ),
        "action": _("Cancel the fetch"),
        "back_label": _("Let it run"),
        "back": reverse("fetch", args=[fetch_id]),
    }
    return render(request, "console/confirm.html", context)
