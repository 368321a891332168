"""The page of the grid: what waits, who fetches, what limits us now."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from ronda.accounts.authentication import actor_of
from ronda.accounts.roles import Role
from ronda.frontier.waiting import longest_queues
from ronda.grid import minutes, overview
from ronda.grid.wording import outcome_rows, verdict
from ronda.http.fragments import render_live

LONGEST_QUEUES = 10
NODES_SHOWN = 20


@require_safe
def grid(request: HttpRequest) -> HttpResponse:
    actor = actor_of(request)
    now = overview.grid_now(actor=actor)
    counted = overview.outcomes(actor=actor)
    context: dict[str, Any] = {
        "now": now,
        "verdict": verdict(now),
        "steps": minutes.steps(minutes.PERIODS["hour"]),
        "outcomes": outcome_rows(counted),
        "outcomes_total": counted.total(),
        "nodes": overview.nodes_now(actor=actor, most=NODES_SHOWN),
        "lends_machines": actor.has_role(Role.CONTRIBUTOR),
    }
    # Which hosts are fetched tells what clients ask for: that is for those who answer for it.
    if actor.has_role(Role.DIRECTOR):
        context["queues"] = longest_queues(LONGEST_QUEUES)
    return render_live(request, page="grid/overview.html", part="grid/overview_part.html", context=context)
