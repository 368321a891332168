"""Pages that belong to no room: the overview, what RondaBot is, and the answer to a form that is too old."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from ronda.accounts.authentication import actor_of
from ronda.accounts.roles import require
from ronda.archive.queries import READERS
from ronda.console import overview as told
from ronda.errors import Forbidden
from ronda.frontier.policies import DELAY_CAP
from ronda.grid.overview import WATCHERS, grid_now
from ronda.grid.queries import present_count
from ronda.http.errors import respond_to
from ronda.http.fragments import render_live
from ronda.jobs.queries import visible_jobs
from ronda.policies.queries import value_of
from ronda_node.robots import AGENT

LATEST_JOBS = 5


@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    actor = require(actor_of(request))
    context: dict[str, Any] = {
        "actor": actor,
        "counts": told.job_counts(actor),
        # What Ronda does by itself would push everything else out of sight; it is on the page of jobs.
        "latest": visible_jobs(actor=actor).exclude(owner=None).order_by("-created_at")[:LATEST_JOBS],
        "grid": grid_now(actor=actor) if actor.has_role(*WATCHERS) else None,
        "nodes_present": present_count(),
        "kept": told.kept(actor) if actor.has_role(*READERS) else None,
        "cards": told.role_cards(actor),
        "demo_address": told.demo_address(),
    }
    if actor.is_administrator:
        context["machinery"] = told.machinery(actor)
        context["steps"] = told.first_steps(actor)
        context["database"] = _database()
    return render_live(
        request, page="console/overview.html", part="console/overview_part.html", context=context
    )


def _database() -> dict[str, Any]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('server_version'), pg_database_size(current_database())")
        version, size_bytes = cursor.fetchone()
    return {"version": version, "size_bytes": size_bytes}


@require_safe
def bot(request: HttpRequest) -> HttpResponse:
    """For owners of sites, who find its address in their logs: who asks, how to slow it down, whom to write to."""
    given = settings.RONDA
    contact = given.contact
    context = {
        "agent": AGENT,
        "console_url": given.console_url,
        "contact": contact,
        "contact_link": contact if contact.startswith(("http://", "https://")) else f"mailto:{contact}",
        "longest_delay_seconds": value_of(DELAY_CAP),
    }
    return render(request, "console/bot.html", context)


def form_too_old(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Django's answer to a missing or wrong CSRF token: most often a page from before the last login."""
    return respond_to(
        request,
        Forbidden(
            "This form is too old or came from elsewhere.", hint="Go back, reload the page, try again."
        ),
    )
