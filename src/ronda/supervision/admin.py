"""Django's admin for processes and leaders: to look at. Supervisors write these rows, every second."""

from __future__ import annotations

from django.contrib import admin

from ronda.http.read_only_admin import ReadOnlyAdmin
from ronda.supervision.models import Leadership, Process


@admin.register(Process)
class ProcessAdmin(ReadOnlyAdmin):
    list_display = ("name", "machine", "role", "state", "pid", "restarts", "doing", "beat_at")
    list_filter = ("role", "state", "machine")
    ordering = ("-reported_at", "machine", "name")


@admin.register(Leadership)
class LeadershipAdmin(ReadOnlyAdmin):
    list_display = ("id", "machine", "pid", "since", "beat_at", "ended_at")
