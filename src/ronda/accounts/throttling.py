"""What somebody sees after too many wrong passwords."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from ronda.errors import TooMany
from ronda.http.errors import respond_to

REST_SECONDS = 15 * 60


def account_named(request: HttpRequest, credentials: dict[str, Any] | None = None) -> str:
    """Whose account is tried: addresses are compared without case, so attempts are counted without it."""
    given = (credentials or {}).get("username") or request.POST.get("username", "")
    return str(given).strip().casefold()[:255]


def locked_out(request: HttpRequest, credentials: dict[str, Any] | None = None, *args: Any) -> HttpResponse:
    return respond_to(
        request,
        TooMany(
            _("Too many wrong passwords. Wait a quarter of an hour, or recover your password."),
            retry_after_seconds=REST_SECONDS,
        ),
    )
