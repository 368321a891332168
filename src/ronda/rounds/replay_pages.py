"""The replay in the console: a frame onto its origin under a banner, and the way in for who has no pass there."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from ronda.accounts.authentication import actor_of
from ronda.archive.models import Capture, FavouriteKind
from ronda.archive.queries import capture_seen, captures_in
from ronda.archive.replaying import entrance_url, replay_origin, replay_path, replay_url
from ronda.errors import NotFound
from ronda.http.security import CONTENT_SECURITY_POLICY
from ronda.rounds.favourites import is_starred
from ronda.rounds.models import Version
from ronda.rounds.queries import visible_sources, visible_versions


@require_safe
def replay(request: HttpRequest, capture_id: int) -> HttpResponse:
    actor = actor_of(request)
    capture = capture_seen(actor, capture_id)
    if capture.collection is None:
        raise NotFound()
    path = replay_path(collection=capture.collection.slug, url=capture.url, moment=capture.fetched_at)
    others = captures_in(actor, capture.collection.slug).filter(urlkey=capture.urlkey)
    context = {
        "capture": capture,
        "source": visible_sources(actor).filter(pk=capture.source).first() if capture.source else None,
        "version": _version(request, capture),
        "previous": others.filter(fetched_at__lt=capture.fetched_at).order_by("fetched_at").last(),
        "next": others.filter(fetched_at__gt=capture.fetched_at).order_by("fetched_at").first(),
        "entrance": entrance_url(actor=actor, path=path),
        "own_tab": replay_url(capture),
        "is_starred": is_starred(actor=actor, kind=FavouriteKind.CAPTURE, key=capture.pk),
    }
    response = render(request, "rounds/replay.html", context)
    response.headers["Content-Security-Policy"] = f"{CONTENT_SECURITY_POLICY}; frame-src {replay_origin()}"
    response.headers["Cache-Control"] = "no-store"  # it has a ticket in it
    return response


def _version(request: HttpRequest, capture: Capture) -> Version | None:
    if capture.visit is None:
        return None
    return visible_versions(actor_of(request)).filter(visit=capture.visit).first()


@require_http_methods(["GET", "HEAD", "POST"])
def open_replay(request: HttpRequest) -> HttpResponse:
    """Asked by hand: an archived page must not be able to open another collection by leading here."""
    path = (request.POST if request.method == "POST" else request.GET).get("to", "")[:9000]
    address = entrance_url(actor=actor_of(request), path=path)
    if request.method == "POST":
        return redirect(address)
    response = render(request, "rounds/replay_open.html", {"path": path})
    # Browsers hold the answer's redirect against the policy of the page with the form, too.
    policy = CONTENT_SECURITY_POLICY.replace("form-action 'self'", f"form-action 'self' {replay_origin()}")
    response.headers["Content-Security-Policy"] = policy
    return response
