"""Pages of machines one lends: what the grid, trust and credits know of them, and what one may do with them."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from ronda.accounts.authentication import actor_of
from ronda.accounts.roles import Role, require
from ronda.accounts.services import create_token
from ronda.credits.queries import earned_with, earned_with_each, holdings
from ronda.frontier.models import Lease
from ronda.grid import minutes, queries, services
from ronda.grid.models import Node
from ronda.grid.overview import with_work
from ronda.http.fragments import render_live
from ronda.http.paging import page_wanted, paginate
from ronda.trust.queries import trust_of

SORTABLE = {name: name for name in ("name", "seen_at", "answered", "country")}
FOLDER = "console/machines"


@require_safe
def machines(request: HttpRequest) -> HttpResponse:
    actor = actor_of(request)
    page = paginate(queries.nodes(actor=actor), page_wanted(request), sortable=SORTABLE, default="name")
    earned = earned_with_each(actor=actor, nodes=page.items)
    context = {
        "page": page,
        "machines": [(row, earned.get(row.node.pk, 0)) for row in with_work(page.items)],
        "shows_owner": actor.is_administrator,
        # Added up from the ledger: once a page, not every few seconds with its live part.
        "holdings": SimpleLazyObject(lambda: holdings(actor=actor)),
    }
    return render_live(
        request, page=f"{FOLDER}/machines.html", part=f"{FOLDER}/machines_part.html", context=context
    )


@require_POST
def join(request: HttpRequest) -> HttpResponse:
    """The command that joins a machine, with a token made for it: in this answer only."""
    actor = require(actor_of(request), Role.CONTRIBUTOR)
    name = _("Machine, %(moment)s") % {"moment": f"{timezone.now():%Y-%m-%d %H:%M}"}
    token, secret = create_token(actor=actor, name=name)
    context = {"server": _server(request), "token": token, "secret": secret}
    response = render(request, f"{FOLDER}/join.html", context)
    response.headers["Cache-Control"] = "no-store"
    return response


def _server(request: HttpRequest) -> str:
    """The address this person reached us at is one their machines most likely reach too."""
    return str(settings.RONDA.public_url or request.build_absolute_uri("/").rstrip("/"))


@require_safe
def machine(request: HttpRequest, node_id: uuid.UUID) -> HttpResponse:
    actor = actor_of(request)
    found = trust_of(actor=actor, node_id=node_id)
    chosen = request.GET.get("period", "")
    period = chosen if chosen in minutes.PERIODS else "hour"
    [now] = with_work([found.node])
    context: dict[str, Any] = {
        "node": found.node,
        "trust": found,
        "now": now,
        "urls_held": _urls_held(found.node),
        "earned": earned_with(actor=actor, node=found.node),
        "steps": minutes.steps(minutes.PERIODS[period], node_id=found.node.pk),
        "period": period,
        "periods": {"hour": _("Hour"), "day": _("Day"), "week": _("Week")},
    }
    return render_live(
        request, page=f"{FOLDER}/machine.html", part=f"{FOLDER}/machine_part.html", context=context
    )


def _urls_held(node: Node) -> int:
    held = Lease.objects.filter(node=node.pk, expires_at__gt=timezone.now())
    return sum(len(numbers) for numbers in held.values_list("request_ids", flat=True))


@require_POST
def pause(request: HttpRequest, node_id: uuid.UUID) -> HttpResponse:
    said = _("“%(name)s” gets no work until it is resumed; what it has not begun goes to others.")
    return _change(request, node_id, services.pause_node, said)


@require_POST
def resume(request: HttpRequest, node_id: uuid.UUID) -> HttpResponse:
    return _change(request, node_id, services.resume_node, _("“%(name)s” gets work again."))


def _change(
    request: HttpRequest, node_id: uuid.UUID, service: Callable[..., Node], said: str
) -> HttpResponse:
    changed = service(actor=actor_of(request), node_id=node_id)
    messages.success(request, said % {"name": changed.name})
    # From where it was asked for: the list, or the machine's own page.
    return redirect("nodes") if "from_list" in request.POST else redirect("node", node_id=node_id)


@require_http_methods(["GET", "HEAD", "POST"])
def remove(request: HttpRequest, node_id: uuid.UUID) -> HttpResponse:
    actor = actor_of(request)
    found = queries.node(actor=actor, node_id=node_id)
    if request.method == "POST":
        services.remove_node(actor=actor, node_id=node_id)
        messages.success(request, _("“%(name)s” is removed.") % {"name": found.name})
        return redirect("nodes")
    context = {
        "title": _("Remove “%(name)s”?") % {"name": found.name},
        "explanation": _(
            "It ends by itself within a minute, and others get what it has not done. What it brought and earned "
            "stays. To lend the machine again, join again."
        ),
        "action": _("Remove the machine"),
        "back": reverse("node", args=[node_id]),
    }
    return render(request, "console/confirm.html", context)
