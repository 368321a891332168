"""Pages of collections, with what stands in them, and of topics."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from ronda.accounts.authentication import actor_of
from ronda.accounts.roles import Role, require
from ronda.archive import collections as services
from ronda.archive.models import Topic
from ronda.archive.queries import READERS, collection_seen, visible_collections
from ronda.errors import Conflict, InvalidInput, http_status
from ronda.http.paging import page_wanted, paginate
from ronda.http.wording import attach, wording
from ronda.rounds import choosing, queries, statistics
from ronda.rounds.collection_forms import CollectionForm, MemberForm, TopicForm
from ronda.rounds.feed_keys import feed_token
from ronda.rounds.forms import predictor_choices
from ronda.rounds.prediction_forms import ChoiceForm
from ronda.rounds.queries import SourceFilter

LATEST_VERSIONS = 10
REMOVALS_SHOWN = 20


@require_safe
def collections(request: HttpRequest) -> HttpResponse:
    actor = actor_of(request)
    found = [(one, statistics.totals_of(one)) for one in visible_collections(actor).order_by("name")]
    return render(
        request, "rounds/collections.html", {"collections": found, "directs": actor.has_role(Role.DIRECTOR)}
    )


@require_safe
def collection(request: HttpRequest, slug: str) -> HttpResponse:
    actor = actor_of(request)
    found = collection_seen(actor, slug)
    latest = queries.visible_versions(actor).filter(source__collection=found)
    directs = actor.has_role(Role.DIRECTOR)
    context = {
        "collection": found,
        "now": timezone.now(),
        "totals": statistics.totals_of(found),
        "directs": directs,
        "feed_token": feed_token(actor=actor),
        "people": services.people_of(actor=actor, slug=slug) if directs else [],
        "form": MemberForm(),
        "predictor_form": ChoiceForm(now=choosing.choice_of(collection=found.pk)),
        "latest": latest.select_related("source").order_by("-ended_at")[:LATEST_VERSIONS],
        "forgotten": queries.forgotten_versions(actor=actor, collection=found.slug)[:REMOVALS_SHOWN],
        "removals": found.removals.select_related("removed_by").order_by("-removed_at")[:REMOVALS_SHOWN],
        "page": paginate(
            queries.sources(actor=actor, wanted=SourceFilter(collection=slug)),
            page_wanted(request),
            sortable=queries.SORTABLE,
            default="url",
        ),
    }
    return render(request, "rounds/collection.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    actor = require(actor_of(request), Role.DIRECTOR)
    form = CollectionForm(request.POST if request.method == "POST" else None)
    status = 422 if form.errors else 200
    if form.is_valid():
        try:
            made = services.make_collection(actor=actor, **form.cleaned_data)
        except (InvalidInput, Conflict) as error:
            attach(form, error)
            status = http_status(error)
        else:
            messages.success(request, _("“%(name)s” is there.") % {"name": made.name})
            return redirect("collection", slug=made.slug)
    return render(request, "rounds/collection_form.html", {"form": form}, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, slug: str) -> HttpResponse:
    actor = require(actor_of(request), Role.DIRECTOR)
    found = collection_seen(actor, slug)
    initial = {name: getattr(found, name) for name in ("name", "description", "is_public")}
    form = CollectionForm(request.POST if request.method == "POST" else None, initial=initial)
    del form.fields["slug"]
    status = 422 if form.errors else 200
    if form.is_valid():
        try:
            services.edit_collection(actor=actor, slug=slug, **form.cleaned_data)
        except (InvalidInput, Conflict) as error:
            attach(form, error)
            status = http_status(error)
        else:
            messages.success(request, _("Saved."))
            return redirect("collection", slug=slug)
    return render(request, "rounds/collection_form.html", {"form": form, "collection": found}, status=status)


@require_POST
def add_person(request: HttpRequest, slug: str) -> HttpResponse:
    try:
        person = services.add_person(
            actor=actor_of(request), slug=slug, email=request.POST.get("email", "")[:254]
        )
    except InvalidInput as error:
        messages.error(request, wording(error))
    else:
        messages.success(request, _("%(person)s may see it now.") % {"person": person})
    return redirect("collection", slug=slug)


@require_POST
def remove_person(request: HttpRequest, slug: str, person_id: int) -> HttpResponse:
    services.remove_person(actor=actor_of(request), slug=slug, person_id=person_id)
    messages.success(request, _("They may see it no longer, unless it is for everybody."))
    return redirect("collection", slug=slug)


@require_http_methods(["GET", "HEAD", "POST"])
def topics(request: HttpRequest) -> HttpResponse:
    actor = require(actor_of(request), *READERS)
    directs = actor.has_role(Role.DIRECTOR)
    form = TopicForm(request.POST if request.method == "POST" else None)
    status = 422 if form.errors else 200
    if form.is_valid():
        try:
            services.add_topic(actor=actor, **form.cleaned_data)
        except (InvalidInput, Conflict) as error:
            attach(form, error)
            status = http_status(error)
        else:
            messages.success(request, _("The topic is there."))
            return redirect("topics")
    chosen = choosing.choices_of_topics()
    context = {
        "form": form,
        "directs": directs,
        "topics": [
            (topic, chosen.get(topic.pk, ""), predictor_choices(chosen.get(topic.pk, "")))
            for topic in Topic.objects.order_by("code")
        ],
    }
    return render(request, "rounds/topics.html", context, status=status)
