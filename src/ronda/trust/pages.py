"""Pages of trust: letting a machine out of quarantine, and reporting a wrong answer."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from ronda.accounts.authentication import actor_of
from ronda.accounts.roles import Role, require
from ronda.errors import Conflict, InvalidInput, TooMany
from ronda.http.wording import attach, wording
from ronda.trust import queries, services
from ronda.trust.forms import LiftForm, ReportForm
from ronda.trust.models import CheckState, TrustState


@require_http_methods(["GET", "HEAD", "POST"])
def lift_quarantine(request: HttpRequest, node_id: uuid.UUID) -> HttpResponse:
    actor = require(actor_of(request), Role.ADMINISTRATOR)
    found = queries.trust_of(actor=actor, node_id=node_id)
    form = LiftForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            services.lift_quarantine(actor=actor, node_id=node_id, reason=form.cleaned_data["reason"])
        except InvalidInput as error:
            attach(form, error)
        except Conflict as error:
            messages.error(request, wording(error))
            return redirect("node", node_id=node_id)
        else:
            messages.success(
                request, _("“%(name)s” is out of quarantine and begins anew.") % {"name": found.node.name}
            )
            return redirect("nodes") if found.node.removed_at else redirect("node", node_id=node_id)
    if found.standing.state != TrustState.QUARANTINED:
        return redirect("node", node_id=node_id)
    context = {"form": form, "trust": found}
    return render(request, "trust/lift.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
def report(request: HttpRequest, fetch_id: uuid.UUID, answer_id: int) -> HttpResponse:
    actor = actor_of(request)
    answer = queries.reportable_answer(actor=actor, fetch_id=fetch_id, answer_id=answer_id)
    form = ReportForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            made = services.report_answer(
                actor=actor, fetch_id=fetch_id, answer_id=answer_id, note=form.cleaned_data["note"]
            )
        except (Conflict, TooMany) as error:
            messages.error(request, wording(error))
        else:
            _tell(request, made.state)
        return redirect("fetch", fetch_id=fetch_id)
    context = {"form": form, "answer": answer}
    return render(request, "trust/report.html", context, status=422 if form.errors else 200)


def _tell(request: HttpRequest, state: str) -> None:
    if state == CheckState.GIVEN_UP:
        messages.warning(
            request, _("The report is noted, but no other person's machine is there to fetch the URL again.")
        )
    else:
        messages.success(
            request, _("The URL is fetched again by another person's machine, and the answers are compared.")
        )
