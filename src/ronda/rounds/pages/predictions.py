"""Pages of prediction: a source's outlook and what another way to visit would have come to; groups of sources."""

from __future__ import annotations

import uuid
from collections.abc import Callable

from django.contrib import messages
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from ronda.accounts.authentication import actor_of
from ronda.accounts.models import Person
from ronda.errors import InvalidInput
from ronda.http.fragments import render_live
from ronda.http.paging import page_wanted, paginate
from ronda.http.wording import wording
from ronda.prediction.comparison import objective_of
from ronda.prediction.contract import Terms
from ronda.rounds import activity, choosing, grouping, observing, planning, queries, retrospect
from ronda.rounds.models import Source, TrackRecord
from ronda.rounds.observing import History
from ronda.rounds.policies import freshness_weight, in_the_loop
from ronda.rounds.prediction_forms import USUAL_DAYS, GroupsFilter, WhatIfForm
from ronda.rounds.retrospect import Retrospect

SOURCES_A_PAGE = 50
PLAYED_SECONDS = 600


@require_safe
def source(request: HttpRequest, source_id: uuid.UUID) -> HttpResponse:
    actor = actor_of(request)
    found = queries.source_shown(actor=actor, source_id=source_id)
    history = observing.history_of(found)
    outlook = planning.outlook_of(found, history, timezone.now())
    usual = {
        "predictor": outlook.predictor.name.partition(":")[0],
        "objective": _usual_objective(),
        "days": USUAL_DAYS,
    }
    asked = WhatIfForm({**usual, **request.GET.dict()})
    context = {
        "source": found,
        "now": timezone.now(),
        "outlook": outlook,
        "record": TrackRecord.objects.filter(pk=found.pk).first(),
        "form": asked,
        "retrospect": _retrospect(found, history, asked, usual),
        "least_changes": retrospect.LEAST_CHANGES,
        "weeks": activity.weeks_of(found),
        "signals": found.signals.order_by("-at")[:10],
        "beacons": found.beacons.order_by("kind", "url"),
    }
    return render_live(
        request, page="rounds/prediction.html", part="rounds/prediction_part.html", context=context
    )


def _usual_objective() -> str:
    weight = freshness_weight()
    return {0.0: "versions", 1.0: "freshness"}.get(weight, "0.5")


def _retrospect(
    source: Source, history: History, asked: WhatIfForm, usual: dict[str, object]
) -> Retrospect | None:
    course = retrospect.course_of_source(source, history)
    if course is None:
        return None
    given = asked.cleaned_data if asked.is_valid() else usual
    predictor, objective = in_the_loop(str(given["predictor"])), str(given["objective"])
    # Who moves the slider asks for the same again and again.
    key = f"played:{source.pk}:{history.looks[-1].at.timestamp()}:{len(history.signals)}:{predictor}:{objective}"
    played = cache.get(key)
    if played is None:
        played = retrospect.play(course, predictor, Terms(objective=objective_of(objective)))
        cache.set(key, played, PLAYED_SECONDS)
    return retrospect.beside_fixed(course, history, played, asked.chosen_days)


@require_safe
def groups(request: HttpRequest) -> HttpResponse:
    actor = actor_of(request)
    chosen = GroupsFilter(actor, request.GET)
    wanted = chosen.wanted()
    found = grouping.grouped(actor=actor, wanted=wanted)
    context = {
        "filter": chosen,
        "is_filtered": wanted != grouping.GroupFilter(),
        "all": grouping.sums_of_all(found),
        "by_group": grouping.sums_by_group(found),
        "by_behaviour": grouping.sums_by_behaviour(found),
        "days": activity.days_of_all(actor=actor, collection=wanted.collection),
        "page": paginate(
            found,
            page_wanted(request, SOURCES_A_PAGE),
            sortable=grouping.SORTABLE,
            default="-frequency",
        ),
    }
    return render_live(request, page="rounds/groups.html", part="rounds/groups_part.html", context=context)


@require_POST
def choose_for_collection(request: HttpRequest, slug: str) -> HttpResponse:
    _choose(
        request, lambda actor, name: choosing.choose_for_collection(actor=actor, slug=slug, predictor=name)
    )
    return redirect("collection", slug=slug)


@require_POST
def choose_for_topic(request: HttpRequest, code: int) -> HttpResponse:
    _choose(request, lambda actor, name: choosing.choose_for_topic(actor=actor, code=code, predictor=name))
    return redirect("topics")


def _choose(request: HttpRequest, choose: Callable[[Person, str], None]) -> None:
    try:
        choose(actor_of(request), request.POST.get("predictor", "")[:40])
    except InvalidInput as error:
        messages.error(request, wording(error))
    else:
        messages.success(request, _("Saved. It holds from each source's next visit on."))
