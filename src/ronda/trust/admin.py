"""Django's admin for trust: to look at. Checks and services write these rows."""

from __future__ import annotations

from django.contrib import admin

from ronda.http.read_only_admin import ReadOnlyAdmin
from ronda.trust.models import Check, Incident, Standing


@admin.register(Standing)
class StandingAdmin(ReadOnlyAdmin):
    list_display = ("node", "state", "checked", "passed", "failed", "unclear", "consecutive_valid", "reason")
    list_select_related = ("node",)
    list_filter = ("state",)


@admin.register(Incident)
class IncidentAdmin(ReadOnlyAdmin):
    list_display = ("node", "kind", "reason", "by", "at")
    list_select_related = ("node", "by")


@admin.register(Check)
class CheckAdmin(ReadOnlyAdmin):
    list_display = ("url", "state", "mark", "created_at", "decided_at")
    list_filter = ("state", "mark")
