"""Django's admin for jobs: to look at. Starting and cancelling go through services, with the queue."""

from __future__ import annotations

from django.contrib import admin

from ronda.http.read_only_admin import ReadOnlyAdmin
from ronda.jobs.models import Job


@admin.register(Job)
class JobAdmin(ReadOnlyAdmin):
    list_display = ("id", "kind", "owner", "state", "progress", "worker", "attempt", "created_at", "ended_at")
    list_select_related = ("owner",)
    list_filter = ("state", "kind")
    search_fields = ("id", "owner__email")
    ordering = ("-created_at",)
