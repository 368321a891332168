"""Django's admin as a back room of the console: same login, administrators only."""

from __future__ import annotations

from typing import Any

from django.contrib.admin import AdminSite
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from ronda.errors import Forbidden
from ronda.http.errors import respond_to


class RondaAdminSite(AdminSite):
    site_title = _("Ronda database")
    site_header = _("Ronda database")
    index_title = _("Rows as they are. Most can only be looked at: change them in the console.")
    enable_nav_sidebar = False

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """No second login form: it would be a second door to guard."""
        if request.user.is_authenticated:
            return respond_to(request, Forbidden("This is for administrators."))
        return redirect_to_login(request.GET.get("next", request.get_full_path()))
