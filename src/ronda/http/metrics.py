"""Counts and times requests for Prometheus."""

from __future__ import annotations

import time
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from prometheus_client import Counter, Histogram

REQUESTS = Counter("ronda_http_requests_total", "Requests answered.", ["method", "route", "status"])
SECONDS = Histogram("ronda_http_request_seconds", "Time to answer a request.", ["route"])
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class MetricsMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        started = time.perf_counter()
        response = self.get_response(request)
        # The route, not the path: a label per URL would let anybody fill our memory.
        route = request.resolver_match.route if request.resolver_match else "unknown"
        method = request.method if request.method in _METHODS else "other"
        REQUESTS.labels(method, route, response.status_code).inc()
        SECONDS.labels(route).observe(time.perf_counter() - started)
        return response
