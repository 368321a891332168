"""Pages of jobs: the list with its workers, one job, starting and cancelling."""

from __future__ import annotations

import re
import uuid
from itertools import chain
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from ronda.accounts.authentication import actor_of
from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.errors import Conflict, InvalidInput, NotFound
from ronda.http.fragments import render_live
from ronda.http.paging import page_wanted, paginate
from ronda.http.wording import attach, wording
from ronda.jobs import queries, services
from ronda.jobs.errors import NoSuchKind
from ronda.jobs.forms import ArgumentsForm, JobFilter
from ronda.jobs.kinds import JobKind, all_kinds, kind_named
from ronda.jobs.models import Job, State
from ronda.supervision.models import Process
from ronda.supervision.queries import reported_processes
from ronda.supervision.states import ProcessState

SORTABLE = {name: name for name in ("created_at", "started_at", "ended_at", "kind", "state")}
_JOB_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@require_safe
def jobs(request: HttpRequest) -> HttpResponse:
    actor = actor_of(request)
    wanted = JobFilter(request.GET, is_for_administrator=actor.is_administrator)
    chosen = wanted.cleaned_data if wanted.is_valid() else {}
    state = State(chosen["state"]) if chosen.get("state") else None
    found = queries.jobs(
        actor=actor, state=state, kind=chosen.get("kind", ""), is_routine_hidden=wanted.is_routine_hidden
    )
    context = {
        "filter": wanted,
        "is_filtered": any(chosen.values()),
        "page": paginate(found, page_wanted(request), sortable=SORTABLE, default="-created_at"),
        "kinds": _startable(actor),
        "workers": _workers(actor) if actor.is_administrator else None,
        "shows_owner": actor.is_administrator,
    }
    return render_live(request, page="jobs/jobs.html", part="jobs/jobs_part.html", context=context)


def _startable(actor: Person) -> list[JobKind]:
    return [kind for kind in all_kinds() if actor.has_role(kind.role)]


def _workers(actor: Person) -> list[tuple[Process, list[Job]]]:
    """Worker processes with the jobs each says it is doing; those of past starts are not among them."""
    require(actor, Role.ADMINISTRATOR)
    found = reported_processes().filter(role="worker").exclude(state=ProcessState.STOPPED)
    workers = list(found.order_by("machine", "name"))
    doing = {worker.pk: _JOB_ID.findall(worker.doing) for worker in workers}
    jobs = {str(job.pk): job for job in Job.objects.filter(pk__in=chain(*doing.values()))}
    return [(worker, [jobs[key] for key in doing[worker.pk] if key in jobs]) for worker in workers]


@require_safe
def job(request: HttpRequest, job_id: uuid.UUID) -> HttpResponse:
    actor = actor_of(request)
    found = queries.job(actor=actor, job_id=job_id)
    context = {"job": found, "can_start": any(kind.name == found.kind for kind in _startable(actor))}
    return render_live(request, page="jobs/job.html", part="jobs/job_part.html", context=context)


@require_http_methods(["GET", "HEAD", "POST"])
def cancel(request: HttpRequest, job_id: uuid.UUID) -> HttpResponse:
    actor = actor_of(request)
    found = queries.job(actor=actor, job_id=job_id)
    if request.method == "POST":
        try:
            cancelled = services.cancel_job(actor=actor, job_id=job_id)
        except Conflict as error:
            messages.error(request, wording(error))
        else:
            is_over = cancelled.state == State.CANCELLED
            messages.success(
                request, _("The job is cancelled.") if is_over else _("The job will stop at its next step.")
            )
        return redirect("job", job_id=job_id)
    if not found.is_open:
        return redirect("job", job_id=job_id)
    context = {
        "title": _("Cancel this job?"),
        "explanation": _("It stops at its next step and does not go on. What it has done so far stays."),
        "action": _("Cancel the job"),
        "back_label": _("Let it run"),
        "back": reverse("job", args=[job_id]),
    }
    return render(request, "console/confirm.html", context)


@require_safe
def start(request: HttpRequest) -> HttpResponse:
    """Which kinds of jobs one may start."""
    return render(request, "jobs/start.html", {"kinds": _startable(require(actor_of(request)))})


@require_http_methods(["GET", "HEAD", "POST"])
def start_kind(request: HttpRequest, kind: str) -> HttpResponse:
    actor = actor_of(request)
    try:
        found = kind_named(kind)
    except NoSuchKind as error:
        raise NotFound() from error
    require(actor, found.role)
    form = ArgumentsForm(
        found, request.POST if request.method == "POST" else None, initial=_arguments_like(request, actor)
    )
    if form.is_valid():
        try:
            started = services.start_job(actor=actor, kind=kind, arguments=form.given())
        except InvalidInput as error:
            attach(form, error)
        else:
            messages.success(request, _("The job is in the queue."))
            return redirect("job", job_id=started.pk)
    context = {"form": form, "kind": found}
    return render(request, "jobs/start_kind.html", context, status=422 if form.errors else 200)


def _arguments_like(request: HttpRequest, actor: Person) -> dict[str, Any]:
    """To start a job again: the arguments of the one named in the address."""
    try:
        elder = queries.job(actor=actor, job_id=uuid.UUID(request.GET.get("like", "")))
    except (ValueError, NotFound):
        return {}
    return dict(elder.arguments)
