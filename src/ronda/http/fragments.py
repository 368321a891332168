"""Live parts of a page: htmx asks the page's own address and gets the part alone."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django_htmx.middleware import HtmxDetails


def render_live(request: HttpRequest, *, page: str, part: str, context: dict[str, Any]) -> HttpResponse:
    """The whole page for a browser, its live part for htmx."""
    htmx = HtmxDetails(request)
    is_part = bool(htmx) and not htmx.history_restore_request
    response = render(request, part if is_part else page, context)
    # One address, two answers: a browser that goes back must not find the part where the page was.
    patch_vary_headers(response, ["HX-Request"])
    if is_part:
        response.headers["Cache-Control"] = "no-store"
    return response
