"""Forms of collections, their people, and topics."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from ronda.rounds.forms import PLAIN


class CollectionForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=120)
    slug = forms.CharField(
        label=_("Short name"),
        max_length=60,
        help_text=_("For addresses and commands: small letters, digits and hyphens. It stays for good."),
        widget=forms.TextInput(attrs=PLAIN),
    )
    description = forms.CharField(
        label=_("Description"), required=False, max_length=2000, widget=forms.Textarea(attrs={"rows": 3})
    )
    is_public = forms.BooleanField(
        label=_("For everybody who may read"),
        required=False,
        initial=True,
        help_text=_("Otherwise only for the people you add, and directors."),
    )


class MemberForm(forms.Form):
    email = forms.EmailField(label=_("Mail address"), help_text=_("Of somebody who has an account."))


class TopicForm(forms.Form):
    code = forms.IntegerField(label=_("Code"), min_value=1, max_value=32_767)
    name = forms.CharField(label=_("Name"), max_length=120)
