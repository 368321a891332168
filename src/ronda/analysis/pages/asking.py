"""Pages where one asks: choose a set, drop files; read the questions; look at what was answered before."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from ronda.accounts.authentication import actor_of
from ronda.accounts.roles import Role, require
from ronda.analysis import answers, asked
from ronda.analysis.models import STORED_STATES
from ronda.analysis.own_data import SET, may_ask
from ronda.analysis.pages.shown import answer_shown, parameter_fields
from ronda.analysis.sessions import sessions
from ronda.http.paging import page_wanted, paginate


@require_safe
def ask(request: HttpRequest) -> HttpResponse:
    actor = require(actor_of(request), Role.CLIENT)
    sets = [found for name in asked.set_names() if may_ask(actor, found := asked.set_named(name))]
    recent = sessions(actor=actor).order_by("-created_at")[:5]
    return render(request, "analysis/ask.html", {"sets": sets, "recent": recent, "place": "ask"})


@require_safe
def ask_set(request: HttpRequest, name: str) -> HttpResponse:
    require(actor_of(request), Role.CLIENT)
    found = asked.set_named(name)
    fields = {field.name: field for question in found.questions for field in parameter_fields(question)}
    context = {
        "set": found,
        # What Ronda gathered it has at hand.
        "tables": () if found.name == SET else found.tables,
        "fields": list(fields.values()),
        "place": "ask",
    }
    return render(request, "analysis/ask_set.html", context)


@require_safe
def questions(request: HttpRequest) -> HttpResponse:
    require(actor_of(request), Role.CLIENT)
    sets = [asked.set_named(name) for name in asked.set_names()]
    return render(request, "analysis/questions.html", {"sets": sets, "place": "questions"})


@require_safe
def question_set(request: HttpRequest, name: str) -> HttpResponse:
    """Each question as it is written, and a form to ask it of tables that are there."""
    actor = require(actor_of(request), Role.CLIENT)
    found = asked.set_named(name)
    stored = sessions(actor=actor).filter(questions=name, sql={}, state__in=STORED_STATES)
    context = {
        "set": found,
        "questions": [(question, parameter_fields(question)) for question in found.questions],
        "stored": stored.order_by("-created_at")[:20],
        "place": "questions",
    }
    return render(request, "analysis/question_set.html", context)


@require_safe
def history(request: HttpRequest) -> HttpResponse:
    rows = answers.answers(actor=actor_of(request))
    sortable = {"answered_at": "answered_at", "question": "question"}
    page = paginate(rows, page_wanted(request), sortable=sortable, default="-answered_at")
    shown = [answer_shown(row, row.session, with_rows=False) for row in page.items]
    return render(request, "analysis/history.html", {"page": page, "shown": shown, "place": "history"})
