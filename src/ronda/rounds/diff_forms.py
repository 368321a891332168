"""Forms that choose what is compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ronda.rounds.models import Version


class PageDiffForm(forms.Form):
    url = forms.CharField(label=gettext_lazy("URL"), max_length=2048)
    a = forms.CharField(
        label=gettext_lazy("Before"),
        max_length=60,
        required=False,
        help_text=gettext_lazy(
            "A time (2026-05-01T12:00), a version or a capture. Empty: the last other state."
        ),
    )
    b = forms.CharField(
        label=gettext_lazy("After"),
        max_length=60,
        required=False,
        help_text=gettext_lazy("The same. Empty: the newest."),
    )


class VersionsForm(forms.Form):
    """Two versions of a source; the newest two unless others are chosen. Nonsense in the address bar means those."""

    a = forms.ChoiceField(label=gettext_lazy("Before"), required=False)
    b = forms.ChoiceField(label=gettext_lazy("After"), required=False)

    def __init__(self, versions: Sequence[Version], given: Mapping[str, Any]) -> None:
        self.by_id = {str(version.pk): version for version in versions}
        ids = list(self.by_id)
        after = given.get("b", "") if given.get("b", "") in self.by_id else next(iter(ids), "")
        older = [key for key in ids if after and self.by_id[key].number < self.by_id[after].number]
        before = given.get("a", "") if given.get("a", "") in self.by_id else next(iter(older), "")
        super().__init__({"a": before, "b": after})
        choices = [(key, _label(version)) for key, version in self.by_id.items()]
        for name in ("a", "b"):
            self.fields[name].choices = choices  # type: ignore[attr-defined]

    def chosen(self) -> tuple[Version | None, Version | None]:
        return self.by_id.get(self.data["a"]), self.by_id.get(self.data["b"])


def _label(version: Version) -> str:
    when = date_format(version.ended_at, "SHORT_DATETIME_FORMAT")
    return _("version %(number)d, %(when)s") % {"number": version.number, "when": when}
