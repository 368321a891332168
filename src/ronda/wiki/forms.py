"""Forms of articles: filters, one more, many more."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from ronda.wiki.addresses import DEFAULT_LOCALE
from ronda.wiki.models import Completeness
from ronda.wiki.services import Wanted

PLAIN = {"autocomplete": "off", "spellcheck": "false", "autocapitalize": "none"}


class ArticleFilter(forms.Form):
    search = forms.CharField(label=_("Title or wiki"), required=False, max_length=200)
    completeness = forms.ChoiceField(
        label=_("Completeness"), required=False, choices=[("", _("any")), *Completeness.choices]
    )


class _WikiForm(forms.Form):
    """Which wiki, and how."""

    locale = forms.CharField(
        label=_("Language of Wikipedia"),
        required=False,
        max_length=20,
        initial=DEFAULT_LOCALE,
        widget=forms.TextInput(attrs=PLAIN),
    )
    api = forms.CharField(
        label=_("Or another wiki's API"),
        required=False,
        max_length=2048,
        help_text=_("Address of its api.php; Special:Version of the wiki names it."),
        widget=forms.TextInput(
            attrs={"inputmode": "url", "placeholder": "https://wiki.example.org/w/api.php", **PLAIN}
        ),
    )
    with_text = forms.BooleanField(
        label=_("With texts"),
        required=False,
        initial=True,
        help_text=_(
            "Without them it takes a tenth of the questions, and revisions cannot be read or compared."
        ),
    )
    is_followed = forms.BooleanField(
        label=_("Keep it fresh"),
        required=False,
        initial=True,
        help_text=_(
            "It is visited again when its rhythm says so, or its wiki names it among recent changes."
        ),
    )

    def wanted(self, url: str = "") -> Wanted:
        given: dict[str, Any] = self.cleaned_data
        return Wanted(
            locale="" if url else given["locale"],
            url=url,
            api=given["api"],
            with_text=given["with_text"],
            is_followed=given["is_followed"],
        )


class ArticleForm(_WikiForm):
    title = forms.CharField(
        label=_("Title, or address of the page"),
        max_length=2048,
        help_text=_("Battle of the Nile, or https://en.wikipedia.org/wiki/Battle_of_the_Nile"),
        widget=forms.TextInput(attrs={"autofocus": True, **PLAIN}),
    )
    field_order = ("title", "locale", "api", "with_text", "is_followed")


class ArticlesForm(_WikiForm):
    category = forms.CharField(
        label=_("Category"),
        required=False,
        max_length=300,
        help_text=_("All its pages, without those of its subcategories."),
        widget=forms.TextInput(attrs={"autofocus": True, **PLAIN}),
    )
    titles = forms.CharField(
        label=_("Or titles, one a line"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 6, **PLAIN}),
    )
    field_order = ("category", "titles", "locale", "api", "with_text", "is_followed")
