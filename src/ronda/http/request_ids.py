"""Every request has an id: taken from a proxy that sent one, answered in a header, and standing in every log line."""

from __future__ import annotations

import logging
import re
import secrets
import time
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from ronda.logs import request_id

logger = logging.getLogger("ronda.requests")

HEADER = "X-Request-ID"
_WELL_FORMED = re.compile(r"[A-Za-z0-9._-]{8,64}")
# What stands in these paths lets somebody in.
_SECRET_PATHS = re.compile(r"^(/login/once|/recover)/.+")
# Asked every few seconds by programs; only worth a line when somebody debugs.
_QUIET_PATHS = ("/livez", "/healthz", "/metrics", "/static/")


class RequestIdMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get(HEADER, "")
        identifier = given if _WELL_FORMED.fullmatch(given) else secrets.token_hex(8)
        marker = request_id.set(identifier)
        started = time.perf_counter()
        try:
            response = self.get_response(request)
            response.headers[HEADER] = identifier
            is_quiet = request.path.startswith(_QUIET_PATHS) or request.headers.get(
                "HX-Trigger", ""
            ).startswith("live")
            logger.log(
                logging.DEBUG if is_quiet and response.status_code < 500 else logging.INFO,
                "%s %s %d in %.0f ms",
                request.method,
                _SECRET_PATHS.sub(r"\1/…", request.path),
                response.status_code,
                (time.perf_counter() - started) * 1000,
            )
            return response
        finally:
            request_id.reset(marker)
