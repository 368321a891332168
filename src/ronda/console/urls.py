"""Addresses of the console."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import path


def placeholder(request: HttpRequest) -> HttpResponse:
    return HttpResponse("console")


urlpatterns = [path("", placeholder, name="overview")]
