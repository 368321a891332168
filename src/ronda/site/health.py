"""Is it well? For people, load balancers (healthz), the supervisor (livez) and Prometheus (metrics)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db import DatabaseError, connection
from django.db.models import Count
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from ronda import __version__
from ronda.jobs.models import Job
from ronda.supervision.queries import current_leader, reported_processes


@require_safe
def livez(request: HttpRequest) -> HttpResponse:
    """This process answers; says nothing about the rest."""
    return HttpResponse("alive\n", content_type="text/plain")


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    try:
        return JsonResponse(_health())
    except DatabaseError as error:
        problem = str(error).strip().split("\n")[0]
        return JsonResponse(
            {"status": "down", "version": __version__, "database": {"is_up": False, "problem": problem}},
            status=503,
        )


def _health() -> dict[str, Any]:
    leader = current_leader()
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        version = cursor.fetchone()[0]
    processes = [
        {
            "machine": p.machine,
            "name": p.name,
            "role": p.role,
            "state": p.state,
            "beat_at": p.beat_at,
            "restarts": p.restarts,
        }
        for p in reported_processes()
    ]
    is_well = leader is not None and bool(processes) and all(p["state"] == "running" for p in processes)
    return {
        "status": "ok" if is_well else "degraded",
        "version": __version__,
        "database": {"is_up": True, "version": version},
        "leader": {"machine": leader.machine, "pid": leader.pid, "term": leader.pk, "since": leader.since}
        if leader
        else None,
        "processes": processes,
    }


class StateCollector(Collector):
    """Gauges read from the database when Prometheus asks; the same numbers whichever process it asks."""

    def collect(self) -> Iterable[Metric]:
        up = GaugeMetricFamily("ronda_database_up", "1 if PostgreSQL answers.")
        jobs = GaugeMetricFamily("ronda_jobs", "Jobs by state.", labels=["state"])
        processes = GaugeMetricFamily(
            "ronda_processes", "Processes by role and state.", labels=["role", "state"]
        )
        leader = GaugeMetricFamily("ronda_leader_term", "Term of the present leader; 0 if nobody leads.")
        try:
            for state, number in Job.objects.order_by().values_list("state").annotate(Count("pk")):
                jobs.add_metric([state], number)
            counted = reported_processes().order_by().values_list("role", "state").annotate(Count("pk"))
            for role, state, number in counted:
                processes.add_metric([role, state], number)
            present = current_leader()
            leader.add_metric([], present.pk if present else 0)
            up.add_metric([], 1)
        except DatabaseError:
            up.add_metric([], 0)
            return [up]
        return [up, jobs, processes, leader]

    def describe(self) -> Iterable[Metric]:
        return []  # registering must not ask the database


REGISTRY.register(StateCollector())


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    return HttpResponse(generate_latest(REGISTRY), content_type=CONTENT_TYPE_LATEST)
