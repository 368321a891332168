"""The form of one setting: the input that fits its kind, and a reason."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ronda.policies.queries import Setting
from ronda.policies.registry import Kind, Policy


def word_of(choice: str) -> str:
    """A choice for people: its translation, if the catalogue has one."""
    return capfirst(gettext(capfirst(choice)))


class SettingForm(forms.Form):
    note = forms.CharField(
        label=_("Reason"),
        max_length=200,
        required=False,
        help_text=_("For whoever reads the history later. May stay empty."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    field_order = ("value", "note")

    def __init__(self, setting: Setting, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.fields["value"] = _value_field(setting.policy)
        value = setting.value
        self.initial["value"] = str(value).split() if setting.policy.kind is Kind.SOME_OF else value
        self.order_fields(self.field_order)


def _value_field(policy: Policy) -> forms.Field:
    label = f"{policy.title} ({policy.unit})" if policy.unit else str(policy.title)
    limits: dict[str, Any] = {"min_value": policy.low, "max_value": policy.high}
    choices = [(choice, word_of(choice)) for choice in policy.choices]
    match policy.kind:
        case Kind.YES_NO:
            return forms.BooleanField(label=label, required=False)
        case Kind.WHOLE:
            return forms.IntegerField(label=label, **limits)
        case Kind.AMOUNT:
            return forms.DecimalField(
                label=label, widget=forms.NumberInput(attrs={"step": "any"}), **limits, max_digits=30
            )
        case Kind.ONE_OF:
            return forms.ChoiceField(label=label, choices=choices)
        case Kind.SOME_OF:
            return forms.MultipleChoiceField(
                label=label, choices=choices, required=False, widget=forms.CheckboxSelectMultiple
            )
