"""Django's admin for nodes: to look at. Nodes write their own rows."""

from __future__ import annotations

from django.contrib import admin

from ronda.grid.models import Node
from ronda.http.read_only_admin import ReadOnlyAdmin


@admin.register(Node)
class NodeAdmin(ReadOnlyAdmin):
    list_display = ("name", "owner", "version", "system", "registered_at", "seen_at")
    list_select_related = ("owner",)
    search_fields = ("name", "owner__email")
