"""Every request has an id: taken from a proxy that sent one, answered in a header, and standing in every log line."""

from __future__ import annotations

import logging
import re
import secrets
import time
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from ronda.logs import ID_KEY, printable, request_id, without_secrets

logger = logging.getLogger("ronda.requests")

HEADER = "X-Request-ID"
_WELL_FORMED = re.compile(r"[A-Za-z0-9._-]{8,64}")
# Asked every few seconds by programs; only worth a line when somebody debugs, or something is wrong.
_QUIET_PATHS = (
    "/livez",
    "/healthz",
    "/metrics",
    "/static/",
    "/api/v1/grid/lease",
    "/api/v1/grid/heartbeat",
)


def shown_path(request: HttpRequest) -> str:
    """As it may stand in the log: on one line, and letting nobody in."""
    return printable(without_secrets(request.path))


class RequestIdMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get(HEADER, "")
        identifier = given if _WELL_FORMED.fullmatch(given) else secrets.token_hex(8)
        request.META[ID_KEY] = identifier
        marker = request_id.set(identifier)
        started = time.perf_counter()
        try:
            response = self.get_response(request)
            response.headers[HEADER] = identifier
            is_quiet = request.path.startswith(_QUIET_PATHS) or request.headers.get(
                "HX-Trigger", ""
            ).startswith("live")
            logger.log(
                logging.DEBUG if is_quiet and response.status_code < 400 else logging.INFO,
                "%s %s %d in %.0f ms",
                request.method,
                shown_path(request),
                response.status_code,
                (time.perf_counter() - started) * 1000,
            )
            return response
        finally:
            request_id.reset(marker)
