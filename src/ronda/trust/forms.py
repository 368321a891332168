"""Forms of trust: why a quarantine is lifted, what is wrong with an answer."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

_LONE = {"autocomplete": "off"}


class LiftForm(forms.Form):
    reason = forms.CharField(
        label=_("Reason"),
        max_length=300,
        required=False,
        help_text=_("Its contributor reads it. May stay empty."),
        widget=forms.TextInput(attrs=_LONE),
    )


class ReportForm(forms.Form):
    note = forms.CharField(
        label=_("What is wrong with it"),
        max_length=200,
        required=False,
        help_text=_("May stay empty."),
        widget=forms.TextInput(attrs=_LONE),
    )
