"""Pages of simulations: predictors compared on a collection's history, a trace somebody brought, a made-up web."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from ronda.accounts.authentication import actor_of
from ronda.accounts.roles import require
from ronda.archive.queries import READERS
from ronda.errors import InvalidInput
from ronda.http.fragments import render_live
from ronda.http.paging import page_wanted, paginate
from ronda.http.wording import attach
from ronda.rounds import simulations as services
from ronda.rounds.prediction_forms import OBJECTIVES, USUAL_DAYS, SimulationForm, SliderForm


@dataclass(frozen=True)
class Mark:
    """A way to visit as a dot: visits to the right, lost changes upwards."""

    name: str
    x: float
    y: float
    is_marked: bool = False


@require_safe
def simulations(request: HttpRequest) -> HttpResponse:
    found = services.simulations(actor=actor_of(request))
    page = paginate(found, page_wanted(request), sortable={"created_at": "created_at"}, default="-created_at")
    return render(request, "rounds/simulations.html", {"page": page})


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    actor = require(actor_of(request), *READERS)
    is_sent = request.method == "POST"
    form = SimulationForm(actor, request.POST if is_sent else None, request.FILES if is_sent else None)
    if not is_sent and (slug := request.GET.get("collection", "")[:60]):
        form.initial["collection"] = slug
    if form.is_valid():
        try:
            made = services.start(actor=actor, wanted=form.wanted())
        except InvalidInput as error:
            attach(form, error)
        else:
            return redirect("simulation", simulation_id=made.pk)
    return render(request, "rounds/simulation_form.html", {"form": form}, status=422 if form.errors else 200)


@require_safe
def simulation(request: HttpRequest, simulation_id: uuid.UUID) -> HttpResponse:
    """Live while it runs; then the slider chooses the fixed frequency to compare with."""
    found = services.simulation_seen(actor=actor_of(request), simulation_id=simulation_id)
    form = SliderForm({"days": USUAL_DAYS, **request.GET.dict()})
    purpose = dict(OBJECTIVES).get(found.objective, found.objective)
    context = {"simulation": found, "form": form, "purpose": purpose}
    context |= _shown(found.result, form.chosen_days)
    return render_live(
        request, page="rounds/simulation.html", part="rounds/simulation_part.html", context=context
    )


def _shown(result: dict[str, Any] | None, days: int) -> dict[str, Any]:
    if result is None:
        return {}
    return {
        "rows": sorted(result["rows"], key=lambda row: (-row["captured"], row["visits"])),
        "fixed": result["fixed"][days - 1],
        "days": days,
        "dots": [Mark(row["predictor"], row["visits"], row["lost"]) for row in result["rows"]],
        "line": [
            Mark(row["predictor"], row["visits"], row["lost"], number == days)
            for number, row in enumerate(result["fixed"], 1)
        ],
    }
