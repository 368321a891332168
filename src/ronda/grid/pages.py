"""The page of nodes: the machines one lends, and how to lend another."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from ronda.accounts.authentication import actor_of
from ronda.grid import queries
from ronda.http.fragments import render_live
from ronda.http.paging import page_wanted, paginate

SORTABLE = {name: name for name in ("name", "registered_at", "seen_at")}


@require_safe
def nodes(request: HttpRequest) -> HttpResponse:
    actor = actor_of(request)
    found = queries.nodes(actor=actor)
    context = {
        "page": paginate(found, page_wanted(request), sortable=SORTABLE, default="name"),
        "shows_owner": actor.is_administrator,
        # The address this person reached us at is one their machines most likely reach too.
        "server": settings.RONDA.public_url or request.build_absolute_uri("/").rstrip("/"),
    }
    return render_live(request, page="grid/nodes.html", part="grid/nodes_part.html", context=context)
