"""Forms of the pages that ask histories."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from ronda.wiki.pipeline.translation import DEFAULT_DATE_FORMAT


class QueryForm(forms.Form):
    language = forms.ChoiceField(
        label=_("Language"), choices=[("pipeline", _("Pipeline")), ("sql", "SQL")], initial="pipeline"
    )
    question = forms.CharField(
        label=_("Question"),
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 10, "spellcheck": "false", "autocapitalize": "off"}),
    )
    collection = forms.ChoiceField(
        label=_("Collection"),
        choices=[("revisions", _("Revisions")), ("articles", _("Articles"))],
        required=False,
        help_text=_("Of a pipeline. SQL reads the tables revisions, texts and articles."),
    )
    date_format = forms.CharField(
        label=_("Dates are written as"), max_length=60, required=False, initial=DEFAULT_DATE_FORMAT
    )


class RevisionsForm(forms.Form):
    """All may be empty; what cannot be read is said by the service."""

    title = forms.CharField(label=_("Article"), required=False, max_length=300)
    user = forms.CharField(label=_("Author"), required=False, max_length=300)
    tag = forms.CharField(label=_("Tag"), required=False, max_length=100)
    datestart = forms.CharField(
        label=_("From"), required=False, max_length=10, widget=forms.DateInput(attrs={"type": "date"})
    )
    dateend = forms.CharField(
        label=_("Until"), required=False, max_length=10, widget=forms.DateInput(attrs={"type": "date"})
    )
    size = forms.CharField(label=_("Bytes"), required=False, max_length=18)
    sizematch = forms.ChoiceField(
        label=_("Compared"),
        required=False,
        choices=[("", _("exactly")), ("1", _("larger")), ("-1", _("smaller"))],
    )
    wiki = forms.CharField(label=_("Wiki"), required=False, max_length=200)
    comment = forms.CharField(label=_("Comment"), required=False, max_length=500)


class CompareForm(forms.Form):
    a = forms.IntegerField(label=_("Revision"), min_value=1, max_value=2**62)
    b = forms.IntegerField(label=_("with (empty: its parent)"), min_value=0, max_value=2**62, required=False)
    wiki = forms.CharField(label=_("Wiki"), required=False, max_length=200)
