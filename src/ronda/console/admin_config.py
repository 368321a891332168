"""Puts our admin site in the place of Django's; apart from it, as apps are known before models are."""

from __future__ import annotations

from django.contrib.admin.apps import AdminConfig


class RondaAdminConfig(AdminConfig):
    default_site = "ronda.console.admin_site.RondaAdminSite"
