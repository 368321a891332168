"""Pages of many sources: the list with its filter, a new one, one thing done to many, lists in."""

from __future__ import annotations

import uuid
from collections import Counter

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from ronda.accounts.authentication import actor_of
from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.errors import Conflict, InvalidInput, http_status
from ronda.http.fragments import render_live
from ronda.http.paging import page_wanted, paginate
from ronda.http.wording import attach, wording
from ronda.rounds import bulk, csv_lists, queries, services
from ronda.rounds.authority import is_changeable
from ronda.rounds.bulk import Action
from ronda.rounds.errors import NotYourSource
from ronda.rounds.forms import DeleteForm, ListForm, SourceForm, SourcesFilter, collection_choices

SOURCES_A_PAGE = 50


@require_safe
def sources(request: HttpRequest) -> HttpResponse:
    actor = actor_of(request)
    chosen = SourcesFilter(actor, request.GET)
    wanted = chosen.wanted()
    follows = actor.has_role(Role.SUBSCRIBER, Role.DIRECTOR)
    context = {
        "filter": chosen,
        "now": timezone.now(),
        "is_filtered": wanted.is_set,
        "page": paginate(
            queries.sources(actor=actor, wanted=wanted),
            page_wanted(request, SOURCES_A_PAGE),
            sortable=queries.SORTABLE,
            default="-created_at",
        ),
        "follows": follows,
        "collections": collection_choices(actor) if follows else [],
    }
    return render_live(request, page="rounds/sources.html", part="rounds/sources_part.html", context=context)


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    actor = require(actor_of(request), Role.SUBSCRIBER, Role.DIRECTOR)
    asked = request.GET.get("url", "")[:2048]
    form = SourceForm(actor, request.POST if request.method == "POST" else None, url=asked)
    status = 422 if form.errors else 200
    if form.is_valid():
        try:
            made = services.follow(actor=actor, wish=form.wish())
        except (InvalidInput, Conflict) as error:
            attach(form, error)
            status = http_status(error)
        else:
            messages.success(request, _("It is followed. The first visit begins within seconds."))
            return redirect("source", source_id=made.pk)
    return render(request, "rounds/source_form.html", {"form": form}, status=status)


@require_POST
def act(request: HttpRequest) -> HttpResponse:
    """What was chosen below the list, done to those that were ticked."""
    actor = actor_of(request)
    chosen = _ticked(request)
    action = request.POST.get("action", "")
    if action == "delete":
        return delete(request)
    if not chosen or action not in (Action.PAUSE, Action.RESUME, Action.VISIT, Action.MOVE):
        messages.warning(request, _("Tick the sources first."))
        return _back(request)
    done = bulk.act_on(
        actor=actor,
        source_ids=chosen,
        action=Action(action),
        collection=request.POST.get("collection", "")[:60],
    )
    _tell(request, done)
    return _back(request)


@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest) -> HttpResponse:
    """Asks what becomes of what was kept; then does it."""
    actor = require(actor_of(request), Role.SUBSCRIBER, Role.DIRECTOR)
    chosen = _ticked(request)
    seen = list(queries.visible_sources(actor).filter(pk__in=chosen).order_by("url"))
    found = [source for source in seen if is_changeable(actor, source)]
    if seen and not found:
        raise NotYourSource()
    if not found:
        messages.warning(request, _("Tick the sources first."))
        return _back(request)
    form = DeleteForm(request.POST if "versions" in request.POST else None)
    if form.is_valid():
        is_kept = form.cleaned_data["versions"] == "keep"
        done = bulk.act_on(
            actor=actor,
            source_ids=[source.pk for source in found],
            action=Action.END if is_kept else Action.REMOVE,
            because=form.cleaned_data["because"],
        )
        _tell(request, done)
        return _back(request)
    context = {"form": form, "sources": found, "back": _filter(request)}
    return render(request, "rounds/source_delete.html", context, status=422 if form.errors else 200)


def _filter(request: HttpRequest) -> str:
    """What the list was narrowed to, as its address says it."""
    return QueryDict(request.POST.get("back", "")[:2000]).urlencode()


def _back(request: HttpRequest) -> HttpResponse:
    wanted = _filter(request)
    return redirect(f"{reverse('sources')}?{wanted}" if wanted else reverse("sources"))


def _ticked(request: HttpRequest) -> list[uuid.UUID]:
    """What is no id was not ticked."""
    given = request.POST if request.method == "POST" else request.GET
    found = []
    for text in given.getlist("source")[: bulk.MOST_SOURCES]:
        try:
            found.append(uuid.UUID(text))
        except ValueError:
            continue
    return found


def _tell(request: HttpRequest, done: list[bulk.Done]) -> None:
    count = sum(one.refusal is None for one in done)
    if count:
        said = ngettext("Done for %(count)d source.", "Done for %(count)d sources.", count)
        messages.success(request, said % {"count": count})
    for reason, times in Counter(wording(one.refusal) for one in done if one.refusal).items():
        messages.error(request, f"{times} × {reason}" if times > 1 else reason)


@require_http_methods(["GET", "HEAD", "POST"])
def import_list(request: HttpRequest) -> HttpResponse:
    actor = require(actor_of(request), Role.SUBSCRIBER, Role.DIRECTOR)
    is_sent = request.method == "POST"
    form = ListForm(request.POST if is_sent else None, request.FILES if is_sent else None)
    lines: list[csv_lists.Line] = []
    if form.is_valid():
        lines = _taken(actor, form)
    refused = [(line, wording(line.refusal)) for line in lines if line.refusal]
    context = {
        "form": form,
        "columns": csv_lists.COLUMNS,
        "is_done": bool(lines),
        "taken": [line for line in lines if not line.refusal],
        "refused": refused,
    }
    return render(request, "rounds/import.html", context, status=422 if form.errors else 200)


def _taken(actor: Person, form: ListForm) -> list[csv_lists.Line]:
    text = form.cleaned_data["file"].read().decode("utf-8", "replace")
    try:
        lines = csv_lists.import_list(actor=actor, text=text)
    except InvalidInput as error:
        attach(form, error)
        return []
    if not lines:
        form.add_error("file", _("There is no source in it."))
    return lines
