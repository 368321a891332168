"""Pages of hosts: the list, one with its pace, robots.txt and captures, changing it, and the opt-outs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from ronda.accounts.authentication import actor_of
from ronda.archive.queries import captures_of_host
from ronda.errors import Conflict, InvalidInput
from ronda.frontier import hosts, opt_outs, queries, waiting
from ronda.frontier.api import SORTABLE
from ronda.frontier.queries import HostGroup
from ronda.grid.forms import HostFilter, HostForm, OptOutForm
from ronda.grid.models import Node
from ronda.http.fragments import render_live
from ronda.http.paging import page_wanted, paginate
from ronda.http.wording import attach

CAPTURES_SHOWN = 10
CHANGES_SHOWN = 20


@require_safe
def all_hosts(request: HttpRequest) -> HttpResponse:
    actor = actor_of(request)
    wanted = HostFilter(request.GET)
    chosen = wanted.cleaned_data if wanted.is_valid() else {}
    group = HostGroup(chosen["group"]) if chosen.get("group") else None
    found = queries.hosts(actor=actor, search=chosen.get("search", ""), group=group)
    context = {
        "filter": wanted,
        "is_filtered": any(chosen.values()),
        "page": paginate(found, page_wanted(request), sortable=SORTABLE, default="-queued"),
        "now": timezone.now(),
    }
    return render_live(request, page="grid/hosts.html", part="grid/hosts_part.html", context=context)


@require_safe
def host(request: HttpRequest, name: str) -> HttpResponse:
    actor = actor_of(request)
    found = queries.host(actor=actor, name=name)
    leases = list(queries.leases_of(found))
    holders = Node.objects.in_bulk([lease.node for lease in leases])
    context: dict[str, Any] = {
        "host": found,
        "now": timezone.now(),
        "waits": waiting.waiting_host(found) if found.has_work else None,
        "holders": [(holders.get(lease.node), lease) for lease in leases],
        "reach": queries.reach_of(found),
        "captures": captures_of_host(name)[:CAPTURES_SHOWN],
        "changes": queries.changes(actor=actor, host_name=name)[:CHANGES_SHOWN],
        "pattern": opt_outs.without_port(name),
    }
    return render_live(request, page="grid/host.html", part="grid/host_part.html", context=context)


@require_http_methods(["GET", "HEAD", "POST"])
def change(request: HttpRequest, name: str) -> HttpResponse:
    actor = actor_of(request)
    found = queries.host(actor=actor, name=name)
    form = HostForm(
        request.POST if request.method == "POST" else None, initial=asdict(hosts.choices_of(found))
    )
    if form.is_valid():
        given = dict(form.cleaned_data)
        note = given.pop("note")
        try:
            hosts.change_host(actor=actor, name=name, choices=hosts.HostChoices(**given), note=note)
        except InvalidInput as error:
            attach(form, error)
        else:
            messages.success(request, _("“%(host)s” is saved.") % {"host": name})
            return redirect("host", name=name)
    context = {"form": form, "host": found}
    return render(request, "grid/host_change.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
def end_backoff(request: HttpRequest, name: str) -> HttpResponse:
    actor = actor_of(request)
    if request.method == "POST":
        hosts.end_backoff(actor=actor, name=name)
        messages.success(request, _("Its rest is over: it is asked again when its turn comes."))
        return redirect("host", name=name)
    found = queries.host(actor=actor, name=name)
    context = {
        "title": _("End the rest of “%(host)s”?") % {"host": found.name},
        "explanation": _("It answered that it is asked too often. Only where you know that this is over."),
        "action": _("End its rest"),
        "back": reverse("host", args=[name]),
    }
    return render(request, "console/confirm.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def ask_robots(request: HttpRequest, name: str) -> HttpResponse:
    actor = actor_of(request)
    if request.method == "POST":
        hosts.ask_robots_again(actor=actor, name=name)
        messages.success(request, _("Its robots.txt is asked for again before its next URL."))
        return redirect("host", name=name)
    found = queries.host(actor=actor, name=name)
    context = {
        "title": _("Ask “%(host)s” for its robots.txt again?") % {"host": found.name},
        "explanation": _("The rules we hold count as too old from now on: a node asks before the next URL."),
        "action": _("Ask again now"),
        "back": reverse("host", args=[name]),
        "is_harmless": True,
    }
    return render(request, "console/confirm.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def all_opt_outs(request: HttpRequest) -> HttpResponse:
    actor = actor_of(request)
    found = opt_outs.opt_outs(actor=actor)
    is_sent = request.method == "POST"
    form = OptOutForm(
        request.POST if is_sent else None, initial={"pattern": request.GET.get("host", "")[:264]}
    )
    if form.is_valid():
        try:
            added = opt_outs.add_opt_out(actor=actor, **form.cleaned_data)
        except (InvalidInput, Conflict) as error:
            attach(form, error)
        else:
            messages.success(request, _("“%(host)s” is not fetched any more.") % {"host": added.pattern})
            return redirect("opt-outs")
    fields = {name: name for name in ("pattern", "created_at")}
    context = {
        "form": form,
        "page": paginate(found, page_wanted(request), sortable=fields, default="pattern"),
        "changes": queries.changes(actor=actor).filter(field="opt_out")[:CHANGES_SHOWN],
    }
    return render(request, "grid/opt_outs.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
def remove_opt_out(request: HttpRequest, opt_out_id: int) -> HttpResponse:
    actor = actor_of(request)
    found = get_object_or_404(opt_outs.opt_outs(actor=actor), pk=opt_out_id)
    if request.method == "POST":
        opt_outs.remove_opt_out(actor=actor, opt_out_id=opt_out_id)
        messages.success(request, _("“%(host)s” may be fetched again.") % {"host": found.pattern})
        return redirect("opt-outs")
    context = {
        "title": _("Fetch “%(host)s” again?") % {"host": found.pattern},
        "explanation": _("It opted out because: %(reason)s. Ask its owner first.") % {"reason": found.reason},
        "action": _("Remove the opt-out"),
        "back": reverse("opt-outs"),
    }
    return render(request, "console/confirm.html", context)
