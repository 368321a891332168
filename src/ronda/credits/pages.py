"""The page of credits: what one has, how that came about, and what directors book."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from ronda.accounts.authentication import actor_of
from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.credits import queries, services
from ronda.credits.forms import TOP_UP, BookingForm
from ronda.credits.policies import PRICE
from ronda.errors import RondaError
from ronda.http.paging import page_wanted, paginate
from ronda.http.streaming import stream
from ronda.http.wording import attach
from ronda.policies.queries import value_of


@require_http_methods(["GET", "HEAD", "POST"])
def credits(request: HttpRequest) -> HttpResponse:
    actor = actor_of(request)
    form = BookingForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            _book(actor, form.cleaned_data)
        except RondaError as error:
            attach(form, error)
        else:
            messages.success(request, _("It is booked."))
            return redirect("credits")
    entries = queries.statement(actor=actor)
    context: dict[str, Any] = {
        "holdings": queries.holdings(actor=actor),
        "price": value_of(PRICE),
        "page": paginate(entries, page_wanted(request), sortable={"made_at": "pk"}, default="-made_at"),
        "form": form,
    }
    if actor.has_role(Role.DIRECTOR):
        context["operator"] = queries.operator_holdings(actor=actor)
    return render(request, "credits/credits.html", context, status=422 if form.errors else 200)


def _book(actor: Person, booking: dict[str, Any]) -> None:
    what = booking.pop("what")
    (services.top_up if what == TOP_UP else services.pay_out)(actor=actor, **booking)


@require_safe
def statement(request: HttpRequest) -> HttpResponseBase:
    response = stream(queries.statement_csv(actor=actor_of(request)), "text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = 'attachment; filename="credits.csv"'
    return response
