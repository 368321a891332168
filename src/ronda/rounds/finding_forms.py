"""The form of the search page."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from ronda.accounts.models import Person
from ronda.archive.models import Topic
from ronda.archive.queries import visible_collections


class SearchForm(forms.Form):
    """Its names are those of the API, so that an address of one is a query of the other."""

    def __init__(self, actor: Person, data: Any) -> None:
        super().__init__(data)
        anywhere = ("", _("all"))
        collections = visible_collections(actor).order_by("name").values_list("slug", "name")
        self._choices("collection", [anywhere, *collections])
        topics = Topic.objects.order_by("pk")
        self._choices("topic", [anywhere, *((topic.pk, str(topic)) for topic in topics)])

    def _choices(self, name: str, choices: list[Any]) -> None:
        field = self.fields[name]
        if isinstance(field, forms.ChoiceField):
            field.choices = choices

    q = forms.CharField(
        label=_("Words"),
        max_length=500,
        required=False,
        help_text=_("“a phrase” in quotation marks, or, -without"),
        widget=forms.TextInput(attrs={"type": "search"}),
    )
    url = forms.CharField(
        label=_("URL"),
        max_length=2000,
        required=False,
        help_text=_("whole, as a beginning (example.org/news/*) or with all hosts (*.example.org)"),
    )
    collection = forms.ChoiceField(label=_("Collection"), required=False)
    topic = forms.TypedChoiceField(label=_("Topic"), required=False, coerce=int, empty_value=None)
    status = forms.IntegerField(label=_("Status"), required=False, min_value=100, max_value=999)
    mime = forms.CharField(label=_("Type"), required=False, max_length=100)

    def as_given(self) -> dict[str, str]:
        return {name: str(value) for name, value in self.cleaned_data.items() if value not in (None, "")}


def _day(label: Any) -> forms.DateField:
    return forms.DateField(label=label, required=False, widget=forms.DateInput(attrs={"type": "date"}))


# `from` is no name in Python.
SearchForm.base_fields["from"] = _day(_("From"))
SearchForm.base_fields["to"] = _day(_("Until"))
