"""Pages of sessions: the list, one with its tables and answers, asking again, deleting."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from ronda.accounts.authentication import actor_of
from ronda.analysis import answers, queries
from ronda.analysis import sessions as services
from ronda.analysis.pages.shown import answer_shown
from ronda.analysis.policies import GRACE_SECONDS, KEEP_HOURS
from ronda.errors import Conflict, InvalidInput, TooLarge
from ronda.http.fragments import render_live
from ronda.http.paging import page_wanted, paginate
from ronda.http.wording import wording
from ronda.policies.queries import value_of

PREFIX = "parameter-"


@require_safe
def sessions(request: HttpRequest) -> HttpResponse:
    sortable = {"created_at": "created_at", "questions": "questions", "state": "state"}
    found = services.sessions(actor=actor_of(request))
    page = paginate(found, page_wanted(request), sortable=sortable, default="-created_at")
    context = {
        "page": page,
        "rows": [(session, queries.totals_of(session)) for session in page.items],
        "place": "sessions",
    }
    return render_live(
        request, page="analysis/sessions.html", part="analysis/sessions_part.html", context=context
    )


@require_safe
def session(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """Looking at it is a sign of life: who watches has not gone."""
    found = services.heartbeat(actor=actor_of(request), session_id=session_id)
    context = {
        "session": found,
        "tables": queries.tables_of(found),
        "totals": queries.totals_of(found),
        "answers": [answer_shown(row, found) for row in answers.answers_of(found)],
        "grace_seconds": value_of(GRACE_SECONDS),
        "keep_hours": value_of(KEEP_HOURS),
        "place": "sessions",
    }
    return render_live(
        request, page="analysis/session.html", part="analysis/session_part.html", context=context
    )


@require_POST
def again(request: HttpRequest, session_id: uuid.UUID | None = None) -> HttpResponse:
    """Ask a question of this session, or of the one chosen in the form, with other parameters."""
    chosen = session_id or _chosen(request)
    given = {
        name.removeprefix(PREFIX): value for name, value in request.POST.items() if name.startswith(PREFIX)
    }
    try:
        row = answers.ask_again(
            actor=actor_of(request),
            session_id=chosen,
            question=request.POST.get("question", "")[:80],
            parameters={name: str(value)[:10_000] for name, value in given.items()},
        )
    except (InvalidInput, Conflict, TooLarge) as error:
        messages.error(request, wording(error))
        return redirect("session", session_id=chosen)
    return redirect(f"{reverse('session', args=[chosen])}#answer-{row.pk}")


def _chosen(request: HttpRequest) -> uuid.UUID:
    try:
        return uuid.UUID(request.POST.get("session", ""))
    except ValueError:
        raise InvalidInput(_("Choose a session."), field="session") from None


@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    actor = actor_of(request)
    services.session_seen(actor=actor, session_id=session_id)
    if request.method == "POST":
        services.delete_session(actor=actor, session_id=session_id)
        messages.success(request, _("The session is deleted, with all it held."))
        return redirect("sessions")
    context = {
        "title": _("Delete this session?"),
        "explanation": _("Its tables and its answers are deleted. Nothing of it is left."),
        "action": _("Delete the session"),
        "back_label": _("Keep it"),
        "back": reverse("session", args=[session_id]),
    }
    return render(request, "console/confirm.html", context)
