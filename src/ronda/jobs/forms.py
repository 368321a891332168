"""Forms of jobs: the list's filter, and a form for whatever arguments a kind of job takes."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ronda.jobs.kinds import JobKind, all_kinds
from ronda.jobs.models import State


class JobFilter(forms.Form):
    state = forms.ChoiceField(label=_("State"), choices=[("", _("Any")), *State.choices], required=False)
    kind = forms.ChoiceField(
        label=_("Kind"),
        choices=lambda: [("", _("Any")), *((kind.name, kind.title) for kind in all_kinds())],
        required=False,
    )
    with_routine = forms.BooleanField(label=_("Also what Ronda did by itself, and well"), required=False)

    def __init__(self, *arguments: Any, is_for_administrator: bool) -> None:
        super().__init__(*arguments)
        if not is_for_administrator:
            del self.fields["with_routine"]  # nobody else sees such jobs

    @property
    def is_routine_hidden(self) -> bool:
        """Texts read every few seconds would leave no room for anything else; a kind that is asked for is shown."""
        chosen = self.cleaned_data if self.is_valid() else {}
        return not (chosen.get("kind") or chosen.get("with_routine"))


class ArgumentsForm(forms.Form):
    """One field per argument, made from the kind's JSON schema."""

    def __init__(self, kind: JobKind, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        schema = kind.arguments.model_json_schema()
        required = schema.get("required", [])
        for name, described in schema.get("properties", {}).items():
            self.fields[name] = _field(described, is_required=name in required)

    def given(self) -> dict[str, Any]:
        """What was filled in; an argument left empty takes its default."""
        return {name: value for name, value in self.cleaned_data.items() if value not in (None, "")}


def _field(described: dict[str, Any], *, is_required: bool) -> forms.Field:
    described = _without_null(described)
    texts = {key: gettext(described[key]) for key in ("title", "description") if described.get(key)}
    options: dict[str, Any] = {
        "label": texts.get("title"),
        "help_text": texts.get("description", ""),
        "initial": described.get("default"),
        "required": is_required,
    }
    limits: dict[str, Any] = {"min_value": described.get("minimum"), "max_value": described.get("maximum")}
    match described:
        case {"enum": choices}:
            return forms.ChoiceField(choices=[(choice, choice) for choice in choices], **options)
        case {"type": "boolean"}:
            return forms.BooleanField(**{**options, "required": False})
        case {"type": "integer"}:
            return forms.IntegerField(**limits, **options)
        case {"type": "number"}:
            widget = forms.NumberInput(attrs={"step": "any"})
            return forms.FloatField(widget=widget, **limits, **options)
        case {"type": "string"}:
            return forms.CharField(max_length=described.get("maxLength"), **options)
    return forms.JSONField(**options)


def _without_null(described: dict[str, Any]) -> dict[str, Any]:
    """An optional argument is described as "this or null"; the form only needs the "this"."""
    kinds = [kind for kind in described.get("anyOf", []) if kind.get("type") != "null"]
    return {**described, **kinds[0]} if len(kinds) == 1 else described
