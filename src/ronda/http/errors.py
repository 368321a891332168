"""The request border: whatever went wrong becomes a problem (API) or a page (people), and is logged."""

from __future__ import annotations

import logging
from collections.abc import Callable

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import RequestDataTooBig
from django.db import DataError, InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django_htmx.middleware import HtmxDetails

from ronda.errors import InvalidInput, NotAuthenticated, RondaError, TooLarge, Unavailable, http_status
from ronda.http.body_limit import OVER_LIMIT
from ronda.http.problems import CONTENT_TYPE, problem_of, problem_of_status
from ronda.http.request_ids import shown_path
from ronda.http.wording import wording
from ronda.logs import request_id

logger = logging.getLogger(__name__)

API_PREFIX = "/api/"


def is_api(request: HttpRequest) -> bool:
    return request.path.startswith(API_PREFIX)


def as_ronda_error(error: Exception) -> RondaError | None:
    """Ours as they are; those of libraries that mean one of ours; None for what nobody foresaw."""
    match error:
        case RondaError():
            return error
        case RequestDataTooBig():
            return TooLarge(_at_most(settings.RONDA.max_body_bytes))
        case DataError():
            return InvalidInput(
                "A value cannot be stored: it has a character or a size the database does not take."
            )
        case OperationalError() | InterfaceError():
            return Unavailable("The database is not there now. Try again shortly.", retry_after_seconds=5)
    return None


def _at_most(limit: int) -> str:
    return gettext("A request body has at most %(limit)d bytes.") % {"limit": limit}


def respond_to(request: HttpRequest, error: Exception) -> HttpResponse:
    """The answer to a request that ended in `error`."""
    known = as_ronda_error(error)
    if known is None:
        logger.exception("unforeseen error at %s %s", request.method, shown_path(request), exc_info=error)
        return status_page(request, 500)
    if http_status(known) >= 500:
        logger.error("%s %s: %s", request.method, shown_path(request), error)
    if is_api(request):
        return problem_of(known).as_response()
    if isinstance(known, NotAuthenticated) and request.method == "GET":
        return _to_login(request)
    return _page(request, http_status(known), wording(known), known.retry_after_seconds)


def _to_login(request: HttpRequest) -> HttpResponse:
    if HtmxDetails(request):
        # A live part of a page whose session ended: the page itself is loaded again, and leads to the login.
        return HttpResponse(headers={"HX-Refresh": "true"})
    return redirect_to_login(request.get_full_path())


def status_page(request: HttpRequest, status: int) -> HttpResponse:
    problem = problem_of_status(status)
    return problem.as_response() if is_api(request) else _page(request, status, gettext(problem.detail))


def _page(
    request: HttpRequest, status: int, detail: str, retry_after_seconds: int | None = None
) -> HttpResponse:
    context = {"status": status, "detail": detail, "request_id": request_id.get()}
    # Needs no database and no session: it must also work when those are what failed.
    response = render(request, "console/error.html", context, status=status)
    if retry_after_seconds is not None:
        response.headers["Retry-After"] = str(retry_after_seconds)
    return response


def _is_shaped(request: HttpRequest, response: HttpResponse) -> bool:
    if is_api(request):
        return response.headers.get("Content-Type", "").startswith(CONTENT_TYPE)
    return response.streaming or bool(response.content)


class ErrorMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if response.status_code >= 400 and not _is_shaped(request, response):
            # Django's own answers (405 with its Allow header, 400 of a bad Host) in our form.
            shaped = status_page(request, response.status_code)
            for name in ("Allow", "Retry-After", "WWW-Authenticate"):
                if name in response.headers:
                    shaped.headers[name] = response.headers[name]
            return shaped
        return response

    def process_view(self, request: HttpRequest, *_view: object) -> HttpResponse | None:
        """Here rather than earlier: the language is known by now."""
        if limit := getattr(request, "scope", {}).get(OVER_LIMIT):
            return respond_to(request, TooLarge(_at_most(limit)))
        # Nothing that is kept can have one: neither PostgreSQL nor DuckDB takes it in text.
        if is_api(request) and ("%00" in request.META.get("QUERY_STRING", "") or "\0" in request.path):
            return respond_to(request, InvalidInput("An address cannot have a zero byte in it."))
        return None

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        from django.core.exceptions import PermissionDenied, SuspiciousOperation
        from django.http import Http404

        if isinstance(error, Http404 | PermissionDenied | SuspiciousOperation) and not isinstance(
            error, RequestDataTooBig
        ):
            return None  # Django answers these through the handlers in ronda.site.urls
        return respond_to(request, error)
