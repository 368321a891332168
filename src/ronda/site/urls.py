"""Every address of the web process, and what answers where nothing else does."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import include, path

from ronda.api.root import api
from ronda.http.errors import status_page
from ronda.site import health

urlpatterns = [
    path("livez", health.livez),
    path("healthz", health.healthz),
    path("metrics", health.metrics),
    path("api/v1/", api.urls),
    path("admin/", admin.site.urls),
    path("", include("ronda.console.urls")),
]


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return status_page(request, 400)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    return status_page(request, 403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return status_page(request, 404)


def server_error(request: HttpRequest) -> HttpResponse:
    return status_page(request, 500)


handler400 = bad_request
handler403 = permission_denied
handler404 = not_found
handler500 = server_error
