"""The page of notifications: targets, what they hear of, feeds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from ronda.accounts.authentication import actor_of
from ronda.archive.queries import visible_collections
from ronda.errors import RondaError
from ronda.http.wording import attach
from ronda.rounds import feed_keys, notifications
from ronda.rounds.notification_forms import SubscriptionForm, TargetForm


@require_http_methods(["GET", "HEAD", "POST"])
def overview(request: HttpRequest) -> HttpResponse:
    actor = actor_of(request)
    form = TargetForm(request.POST if request.method == "POST" else None)
    if form.is_valid() and _done(form, lambda: notifications.add_target(actor=actor, **form.cleaned_data)):
        messages.success(request, _("The target is there. Choose what it hears of, or send a test."))
        return redirect("notifications")
    return _show(request, target_form=form)


@require_POST
def subscribe(request: HttpRequest) -> HttpResponse:
    actor = actor_of(request)
    form = SubscriptionForm(actor, list(notifications.targets(actor=actor)), request.POST)
    if form.is_valid() and _done(form, lambda: notifications.subscribe(actor=actor, **form.wanted())):
        messages.success(request, _("You will hear of new versions."))
        return redirect("notifications")
    return _show(request, subscription_form=form)


def _done(form: Any, act: Callable[[], object]) -> bool:
    try:
        act()
    except RondaError as error:
        attach(form, error)
        return False
    return True


def _show(request: HttpRequest, **forms: Any) -> HttpResponse:
    actor = actor_of(request)
    targets = list(notifications.targets(actor=actor))
    context = {
        "target_form": TargetForm(),
        "subscription_form": SubscriptionForm(actor, targets),
        "targets": targets,
        "collections": visible_collections(actor).order_by("name"),
        "feed_token": feed_keys.feed_token(actor=actor),
        **forms,
    }
    is_wrong = any(form.errors for form in forms.values())
    response = render(request, "rounds/notifications.html", context, status=422 if is_wrong else 200)
    # It shows the token of the feeds.
    response.headers["Cache-Control"] = "no-store"
    return response


@require_http_methods(["GET", "HEAD", "POST"])
def remove_target(request: HttpRequest, target_id: int) -> HttpResponse:
    actor = actor_of(request)
    target = notifications.target_of(actor=actor, target_id=target_id)
    if request.method == "POST":
        notifications.remove_target(actor=actor, target_id=target_id)
        messages.success(request, _("The target is removed."))
        return redirect("notifications")
    context = {
        "title": _("Remove “%(name)s”?") % {"name": target.shown},
        "explanation": _("Nothing is sent there any more, and what it heard of is forgotten."),
        "action": _("Remove the target"),
        "back": reverse("notifications"),
    }
    return render(request, "console/confirm.html", context)


@require_POST
def send_test(request: HttpRequest, target_id: int) -> HttpResponse:
    notifications.ask_for_test(actor=actor_of(request), target_id=target_id)
    messages.success(request, _("A test is on its way. How it went stands beside the target in a moment."))
    return redirect("notifications")


@require_POST
def unsubscribe(request: HttpRequest, subscription_id: int) -> HttpResponse:
    notifications.unsubscribe(actor=actor_of(request), subscription_id=subscription_id)
    messages.success(request, _("You will hear of it no longer."))
    return redirect("notifications")


@require_http_methods(["GET", "HEAD", "POST"])
def renew_feeds(request: HttpRequest) -> HttpResponse:
    if request.method == "POST":
        feed_keys.renew_feed_token(actor=actor_of(request))
        messages.success(request, _("Your feeds have new addresses."))
        return redirect("notifications")
    context = {
        "title": _("New addresses for your feeds?"),
        "explanation": _("Feed readers that use the present addresses get nothing from now on."),
        "action": _("Make new addresses"),
        "back": reverse("notifications"),
    }
    return render(request, "console/confirm.html", context)
