"""Pages of settings: the table with its history, and one setting to change."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from ronda.accounts.authentication import actor_of
from ronda.errors import InvalidInput
from ronda.http.paging import page_wanted, paginate
from ronda.http.wording import attach
from ronda.policies import queries, services
from ronda.policies.forms import SettingForm
from ronda.policies.queries import Setting

SORTABLE = {"changed_at": "changed_at", "name": "name"}


@require_safe
def settings(request: HttpRequest) -> HttpResponse:
    actor = actor_of(request)
    groups: dict[str, list[Setting]] = {}
    for setting in queries.settings(actor=actor):
        groups.setdefault(str(setting.policy.group), []).append(setting)
    changes = queries.changes(actor=actor)
    page = paginate(changes, page_wanted(request, 20), sortable=SORTABLE, default="-changed_at")
    return render(request, "policies/settings.html", {"groups": groups, "page": page})


@require_http_methods(["GET", "HEAD", "POST"])
def setting(request: HttpRequest, name: str) -> HttpResponse:
    actor = actor_of(request)
    found = queries.setting(actor=actor, name=name)
    form = SettingForm(found, request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            services.change_setting(
                actor=actor, name=name, value=form.cleaned_data["value"], note=form.cleaned_data["note"]
            )
        except InvalidInput as error:
            attach(form, error)
        else:
            messages.success(request, _("“%(title)s” is saved.") % {"title": found.policy.title})
            return redirect("settings")
    history = queries.changes(actor=actor).filter(name=name)[:20]
    context = {"form": form, "setting": found, "history": history}
    return render(request, "policies/setting.html", context, status=422 if form.errors else 200)
