"""API of the settings a director changes."""

from __future__ import annotations

from datetime import datetime
from operator import itemgetter
from typing import Any

from django.http import HttpRequest
from ninja import Query, Router, Schema

from ronda.accounts.authentication import actor_of
from ronda.http.inputs import Input, ShortText
from ronda.http.paging import PageOf, PageRequest, paginate, paginate_list
from ronda.policies import queries, services
from ronda.policies.models import PolicyChange
from ronda.policies.queries import Setting
from ronda.policies.registry import Kind

router = Router(tags=["Settings"])


class SettingOut(Schema):
    name: str
    title: str
    meaning: str
    kind: Kind
    unit: str
    value: bool | int | str
    default: bool | int | str
    low: int | None
    high: int | None
    choices: list[str]
    changed_by: str | None
    changed_at: datetime | None


class SettingIn(Input):
    value: bool | int | float | str | list[str]
    note: ShortText = ""


class ChangeOut(Schema):
    id: int
    name: str
    former: str
    value: str
    note: str
    changed_by: str | None
    changed_at: datetime

    @staticmethod
    def resolve_changed_by(change: PolicyChange) -> str | None:
        return str(change.changed_by) if change.changed_by else None


def _shown(setting: Setting) -> dict[str, Any]:
    policy, change = setting.policy, setting.change
    is_amount = policy.kind is Kind.AMOUNT  # as text: no binary fraction may change a price
    return {
        "name": policy.name,
        "title": str(policy.title),
        "meaning": str(policy.meaning),
        "kind": policy.kind,
        "unit": str(policy.unit),
        "value": str(setting.value) if is_amount else setting.value,
        "default": str(policy.default) if is_amount else policy.default,
        "low": policy.low,
        "high": policy.high,
        "choices": list(policy.choices),
        "changed_by": str(change.changed_by) if change and change.changed_by else None,
        "changed_at": change.changed_at if change else None,
    }


@router.get("", response=PageOf[SettingOut], summary="Settings and their values (directors)")
def list_settings(request: HttpRequest, wanted: Query[PageRequest]) -> Any:
    sortable = {name: itemgetter(name) for name in ("name", "title", "kind")}
    shown = [_shown(setting) for setting in queries.settings(actor=actor_of(request))]
    return paginate_list(shown, wanted, sortable=sortable, default="name")


@router.get("/changes", response=PageOf[ChangeOut], summary="Who changed what when (directors)")
def list_changes(request: HttpRequest, wanted: Query[PageRequest]) -> Any:
    fields = {"changed_at": "changed_at", "name": "name"}
    return paginate(queries.changes(actor=actor_of(request)), wanted, sortable=fields, default="-changed_at")


@router.get("/{name}", response=SettingOut, summary="One setting (directors)")
def show_setting(request: HttpRequest, name: str) -> dict[str, Any]:
    return _shown(queries.setting(actor=actor_of(request), name=name))


@router.put("/{name}", response=SettingOut, summary="Change a setting (directors)")
def change_setting(request: HttpRequest, name: str, payload: SettingIn) -> dict[str, Any]:
    return _shown(
        services.change_setting(actor=actor_of(request), name=name, value=payload.value, note=payload.note)
    )
