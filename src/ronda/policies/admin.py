"""Django's admin for settings: their history, to look at. A change goes through the Settings page."""

from __future__ import annotations

from django.contrib import admin

from ronda.http.read_only_admin import ReadOnlyAdmin
from ronda.policies.models import PolicyChange


@admin.register(PolicyChange)
class PolicyChangeAdmin(ReadOnlyAdmin):
    list_display = ("name", "former", "value", "note", "changed_by", "changed_at")
    list_select_related = ("changed_by",)
    list_filter = ("name",)
