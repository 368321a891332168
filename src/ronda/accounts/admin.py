"""Django's admin for people. Roles, tokens and closing go through services; here they can only be looked at."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth.models import Group
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from ronda.accounts.models import ApiToken, Person, RoleGrant
from ronda.http.read_only_admin import ReadOnlyAdmin

admin.site.unregister(Group)  # roles take their place


class GrantInline(admin.TabularInline):  # type: ignore[type-arg]
    model = RoleGrant
    fk_name = "person"
    extra = 0
    fields = readonly_fields = ("role", "granted_by", "granted_at")

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Person)
class PersonAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Only name and mail address change here: the rest has rules (a last administrator stays)."""

    list_display = ("email", "name", "is_active", "role_names", "created_at", "last_login")
    list_filter = ("is_active", "grants__role")
    search_fields = ("email", "name")
    fields = ("email", "name", "is_active", "created_at", "last_login")
    readonly_fields = ("is_active", "created_at", "last_login")
    inlines = (GrantInline,)

    @admin.display(description=_("roles"))
    def role_names(self, person: Person) -> str:
        return ", ".join(str(role.label) for role in sorted(person.roles))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnlyAdmin):
    list_display = ("name", "hint", "person", "created_at", "last_used_at", "revoked_at")
    list_select_related = ("person",)
    search_fields = ("name", "hint", "person__email")
    fields = list_display
