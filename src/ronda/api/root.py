"""/api/v1: one API, a router per room, every error a problem."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from ninja.errors import AuthenticationError, HttpError, ValidationError

from ronda import __version__
from ronda.accounts.api import people_router
from ronda.accounts.api import router as accounts_router
from ronda.accounts.authentication import ConsoleSession, TokenAuth
from ronda.analysis.answers_api import router as answers_router
from ronda.analysis.sessions_api import router as sessions_router
from ronda.api.document import RondaApi
from ronda.archive.collections_api import collections_router, topics_router
from ronda.archive.files_api import router as files_router
from ronda.archive.finding_api import router as finding_router
from ronda.archive.replay_api import router as replay_router
from ronda.credits.api import router as credits_router
from ronda.errors import NotAuthenticated, NotFound
from ronda.frontier.api import router as hosts_router
from ronda.grid.api import router as grid_router
from ronda.grid.fetches_api import router as fetches_router
from ronda.grid.protocol_api import router as protocol_router
from ronda.http.errors import respond_to
from ronda.http.problems import Problem
from ronda.jobs.api import router as jobs_router
from ronda.policies.api import router as settings_router
from ronda.rounds.diffs_api import router as diffs_router
from ronda.rounds.export_api import router as export_router
from ronda.rounds.finding_api import router as search_router
from ronda.rounds.looks_api import router as looks_router
from ronda.rounds.noise_api import router as noise_router
from ronda.rounds.notifications_api import router as notifications_router
from ronda.rounds.predictions_api import router as predictions_router
from ronda.rounds.simulations_api import router as simulations_router
from ronda.rounds.sources_api import router as sources_router
from ronda.rounds.versions_api import versions_router, visits_router
from ronda.supervision.api import router as processes_router
from ronda.trust.api import reports_router
from ronda.trust.api import router as trust_router
from ronda.wiki.extract_api import router as extract_router
from ronda.wiki.queries_api import router as wiki_queries_router
from ronda.wiki.statistics_api import router as wiki_statistics_router

DESCRIPTION = """
Everything the console can do. Send a token (console → Tokens) as `Authorization: Bearer ronda_…`.
Errors are problem details (RFC 9457); their `id` stands in the server's log. Lists take `page`, `page_size` and `sort`.
"""

api = RondaApi(
    title="Ronda",
    version=__version__,
    description=DESCRIPTION,
    auth=[TokenAuth(), ConsoleSession()],
    urls_namespace="api",
)
api.add_router("", accounts_router)
api.add_router("/people", people_router)
api.add_router("/settings", settings_router)
api.add_router("", jobs_router)
api.add_router("/processes", processes_router)
api.add_router("/fetches", fetches_router)
api.add_router("/fetches", reports_router)
api.add_router("", grid_router)
api.add_router("", protocol_router)
api.add_router("", hosts_router)
api.add_router("", trust_router)
api.add_router("/credits", credits_router)
api.add_router("", files_router)
api.add_router("", export_router)
api.add_router("", looks_router)
api.add_router("/sources", sources_router)
api.add_router("/sources", noise_router)
api.add_router("/visits", visits_router)
api.add_router("/versions", versions_router)
api.add_router("/collections", collections_router)
api.add_router("/topics", topics_router)
api.add_router("", finding_router)
api.add_router("", search_router)
api.add_router("/replay", replay_router)
api.add_router("", diffs_router)
api.add_router("/notifications", notifications_router)
api.add_router("", predictions_router)
api.add_router("", simulations_router)
api.add_router("", extract_router)
api.add_router("", wiki_queries_router)
api.add_router("", wiki_statistics_router)
api.add_router("", sessions_router)
api.add_router("", answers_router)


@api.exception_handler(ValidationError)
def on_validation_error(request: HttpRequest, error: ValidationError) -> HttpResponse:
    errors = [{"field": _place(item["loc"]), "message": item["msg"]} for item in error.errors]
    first = errors[0]
    return Problem(422, f"{first['field']}: {first['message']}.", errors).as_response()


def _place(location: tuple[Any, ...]) -> str:
    """`body.name` for ("body", "payload", "name"): where a client would look for it."""
    words = [str(part) for part in location]
    return ".".join([words[0], *words[2:]] if words[0] in ("body", "query") and len(words) > 2 else words)


@api.exception_handler(HttpError)
def on_http_error(request: HttpRequest, error: HttpError) -> HttpResponse:
    # Ninja raises these itself for a body that is no JSON.
    return Problem(error.status_code, str(error)).as_response()


@api.exception_handler(AuthenticationError)
def on_authentication_error(request: HttpRequest, error: AuthenticationError) -> HttpResponse:
    return respond_to(request, NotAuthenticated())


@api.exception_handler(Http404)
def on_not_found(request: HttpRequest, error: Http404) -> HttpResponse:
    return respond_to(request, NotFound())


@api.exception_handler(Exception)
def on_any_error(request: HttpRequest, error: Exception) -> HttpResponse:
    return respond_to(request, error)
