"""Django's admin for the ledger: to look at."""

from __future__ import annotations

from django.contrib import admin

from ronda.credits.models import Account, Entry, Transfer
from ronda.http.read_only_admin import ReadOnlyAdmin


@admin.register(Account)
class AccountAdmin(ReadOnlyAdmin):
    list_display = ("kind", "person")
    list_select_related = ("person",)
    list_filter = ("kind",)


@admin.register(Transfer)
class TransferAdmin(ReadOnlyAdmin):
    list_display = ("kind", "key", "made_at", "urls", "made_by", "note")
    list_filter = ("kind",)


@admin.register(Entry)
class EntryAdmin(ReadOnlyAdmin):
    list_display = ("transfer", "account", "micros")
    list_select_related = ("transfer", "account")
