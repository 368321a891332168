"""Pages of nodes: the machines one lends, one of them, and how to lend another."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from ronda.accounts.authentication import actor_of
from ronda.accounts.roles import Role, require
from ronda.accounts.services import create_token
from ronda.frontier.models import Lease
from ronda.grid import minutes, queries
from ronda.grid.overview import with_work
from ronda.http.fragments import render_live
from ronda.http.paging import page_wanted, paginate

SORTABLE = {name: name for name in ("name", "seen_at", "answered")}


@require_safe
def nodes(request: HttpRequest) -> HttpResponse:
    actor = actor_of(request)
    found = queries.nodes(actor=actor)
    page = paginate(found, page_wanted(request), sortable=SORTABLE, default="name")
    context = {
        "page": page,
        "machines": with_work(page.items),
        "shows_owner": actor.is_administrator,
        "server": _server(request),
    }
    return render_live(request, page="grid/nodes.html", part="grid/nodes_part.html", context=context)


def _server(request: HttpRequest) -> str:
    """The address this person reached us at is one their machines most likely reach too."""
    return str(settings.RONDA.public_url or request.build_absolute_uri("/").rstrip("/"))


@require_POST
def join(request: HttpRequest) -> HttpResponse:
    """The command that joins a machine, with a token made for it: in this answer only."""
    actor = require(actor_of(request), Role.CONTRIBUTOR)
    name = _("Machine, %(moment)s") % {"moment": f"{timezone.now():%Y-%m-%d %H:%M}"}
    token, secret = create_token(actor=actor, name=name)
    context = {"server": _server(request), "token": token, "secret": secret}
    response = render(request, "grid/join.html", context)
    response.headers["Cache-Control"] = "no-store"
    return response


@require_safe
def node(request: HttpRequest, node_id: uuid.UUID) -> HttpResponse:
    found = queries.node(actor=actor_of(request), node_id=node_id)
    chosen = request.GET.get("period", "")
    period = chosen if chosen in minutes.PERIODS else "hour"
    [now] = with_work([found])
    held = Lease.objects.filter(node=found.pk, expires_at__gt=timezone.now())
    context = {
        "node": found,
        "now": now,
        "urls_held": sum(len(numbers) for numbers in held.values_list("request_ids", flat=True)),
        "steps": minutes.steps(minutes.PERIODS[period], node_id=found.pk),
        "period": period,
        "periods": {"hour": _("Hour"), "day": _("Day"), "week": _("Week")},
    }
    return render_live(request, page="grid/node.html", part="grid/node_part.html", context=context)
