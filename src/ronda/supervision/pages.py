"""Pages of the system: processes of all machines, the leader, versions, and restarting a process."""

from __future__ import annotations

import platform
import uuid

import django
from django.contrib import messages
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from ronda import __version__
from ronda.accounts.authentication import actor_of
from ronda.errors import Conflict
from ronda.http.fragments import render_live
from ronda.http.wording import wording
from ronda.supervision import queries, services

TERMS_SHOWN = 10


@require_safe
def system(request: HttpRequest) -> HttpResponse:
    actor = actor_of(request)
    processes = queries.processes(actor=actor).order_by("machine", "instance", "role", "name")
    context = {
        "processes": processes,
        "leader": queries.current_leader(),
        "terms": queries.leaderships(actor=actor)[:TERMS_SHOWN],
        "versions": {
            "Ronda": __version__,
            "Python": platform.python_version(),
            "Django": django.get_version(),
            "PostgreSQL": _postgres_version(),
        },
    }
    return render_live(
        request, page="supervision/system.html", part="supervision/system_part.html", context=context
    )


def _postgres_version() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        return str(cursor.fetchone()[0])


@require_http_methods(["GET", "HEAD", "POST"])
def restart(request: HttpRequest, process_id: uuid.UUID) -> HttpResponse:
    actor = actor_of(request)
    process = get_object_or_404(queries.processes(actor=actor), pk=process_id)
    back = "jobs" if process.role == "worker" and request.GET.get("from") == "jobs" else "system"
    if request.method == "POST":
        try:
            services.restart_process(actor=actor, process_id=process_id)
        except Conflict as error:
            messages.error(request, wording(error))
        else:
            text = _("%(process)s is asked to restart; it takes a few seconds.")
            messages.success(request, text % {"process": process.name})
        return redirect(back)
    context = {
        "title": _("Restart %(process)s on %(machine)s?")
        % {"process": process.name, "machine": process.machine},
        "explanation": _consequence(process.role),
        "action": _("Restart it"),
        "is_harmless": True,
        "back": reverse(back),
    }
    return render(request, "console/confirm.html", context)


def _consequence(role: str) -> str:
    match role:
        case "web":
            return _("Pages and API do not answer for a few seconds; browsers and programs try again.")
        case "worker":
            return _("Its jobs are put back first, and go on from their last checkpoint.")
        case "leader":
            return _("Somebody else leads meanwhile, if another machine stands by.")
        case "postgres":
            return _("Everything waits for the database for some seconds, then goes on by itself.")
    return _("It is told to stop, and started again.")
