"""The replay in the console: a frame onto its origin under a banner, and the way in for who has no pass there."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from ronda.accounts.authentication import actor_of
from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.archive.forgetting import forget_capture
from ronda.archive.models import Capture, FavouriteKind
from ronda.archive.queries import capture_seen, captures_in, collections_seen
from ronda.archive.replaying import collection_of, entrance_url, frames_of, replay_path
from ronda.errors import InvalidInput, NotFound
from ronda.http.security import CONTENT_SECURITY_POLICY
from ronda.http.wording import attach
from ronda.rounds.favourites import is_starred
from ronda.rounds.forms import ForgetForm
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
    context: dict[str, object] = {
        "capture": capture,
        "source": visible_sources(actor).filter(pk=capture.source).first() if capture.source else None,
        "version": _version(request, capture),
        "previous": others.filter(fetched_at__lt=capture.fetched_at).order_by("fetched_at").last(),
        "next": others.filter(fetched_at__gt=capture.fetched_at).order_by("fetched_at").first(),
        "imported_by": _importer(capture),
        "may_forget": capture.is_imported and actor.has_role(Role.DIRECTOR),
        "is_starred": is_starred(actor=actor, kind=FavouriteKind.CAPTURE, key=capture.pk),
    }
    return _framed(request, path, "rounds/replay.html", context)


def _importer(capture: Capture) -> Person | None:
    if not capture.is_imported or capture.owner is None:
        return None
    return Person.objects.filter(pk=capture.owner).first()


@require_http_methods(["GET", "HEAD", "POST"])
def forget_import(request: HttpRequest, capture_id: int) -> HttpResponse:
    actor = require(actor_of(request), Role.DIRECTOR)
    capture = capture_seen(actor, capture_id)
    form = ForgetForm(request.POST if request.method == "POST" else None)
    status = 422 if form.errors else 200
    if form.is_valid():
        try:
            forget_capture(actor=actor, capture_id=capture_id, because=form.cleaned_data["because"])
        except InvalidInput as error:
            attach(form, error)
            status = 422
        else:
            messages.success(request, _("It is forgotten."))
            return redirect("search")
    return render(request, "rounds/capture_forget.html", {"form": form, "capture": capture}, status=status)


@require_safe
def replay_alone(request: HttpRequest, capture_id: int) -> HttpResponse:
    """In a tab of its own, and still in a frame: a page that is a tab could lead itself out, with what it read."""
    capture = capture_seen(actor_of(request), capture_id)
    if capture.collection is None:
        raise NotFound()
    path = replay_path(collection=capture.collection.slug, url=capture.url, moment=capture.fetched_at)
    return _framed(request, path, "rounds/replay_alone.html", {"title": capture.url})


def _framed(request: HttpRequest, path: str, template: str, context: dict[str, object]) -> HttpResponse:
    entrance = entrance_url(actor=actor_of(request), session_key=request.session.session_key or "", path=path)
    response = render(request, template, {**context, "entrance": entrance})
    response.headers["Content-Security-Policy"] = f"{CONTENT_SECURITY_POLICY}; frame-src {frames_of(path)}"
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
    if request.method == "POST":
        return _framed(request, path, "rounds/replay_alone.html", {"title": path})
    collections_seen(actor_of(request), collection_of(path) or "/")
    return render(request, "rounds/replay_open.html", {"path": path})
