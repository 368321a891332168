"""What every page's frame needs."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from ronda import __version__
from ronda.console.navigation import entries_for


def console(request: HttpRequest) -> dict[str, Any]:
    person = getattr(request, "user", None)
    return {"version": __version__, "navigation": entries_for(person, request.path)}
