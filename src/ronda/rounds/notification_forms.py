"""Forms of notifications."""

from __future__ import annotations

import uuid
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ronda.accounts.models import Person
from ronda.archive.queries import visible_collections
from ronda.rounds.notification_models import Rhythm, Target, TargetKind, Weekday
from ronda.rounds.notifications import When
from ronda.rounds.queries import visible_sources

SOURCES_OFFERED = 500


class TargetForm(forms.Form):
    kind = forms.ChoiceField(
        label=_("Send to"),
        choices=[(TargetKind.MAIL, _("my mailbox")), (TargetKind.APPRISE, _("an Apprise address"))],
    )
    address = forms.CharField(
        label=_("Apprise address"),
        max_length=2000,
        required=False,
        help_text=_("Such as json://host/path, discord://…, tgram://…, ntfy://…; not needed for mail."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )


class SubscriptionForm(forms.Form):
    target = forms.ChoiceField(label=_("Target"))
    what = forms.ChoiceField(label=_("Of"))
    rhythm = forms.ChoiceField(label=_("When"), choices=Rhythm.choices)
    hour = forms.IntegerField(
        label=_("Hour of the digest"), min_value=0, max_value=23, initial=7, help_text=_("In UTC.")
    )
    weekday = forms.TypedChoiceField(
        label=_("Day of a weekly digest"), choices=Weekday.choices, coerce=int, initial=Weekday.MONDAY
    )

    def __init__(self, actor: Person, targets: list[Target], *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        offered = {
            "target": [(str(target.pk), target.shown) for target in targets],
            "what": _choices(actor),
        }
        for name, choices in offered.items():
            self.fields[name].choices = choices  # type: ignore[attr-defined]

    def wanted(self) -> dict[str, Any]:
        """As the service takes it."""
        given = self.cleaned_data
        what, _, key = given["what"].partition(":")
        return {
            "target_id": int(given["target"]),
            "source_id": uuid.UUID(key) if what == "source" else None,
            "collection": key if what == "collection" else "",
            "when": When(given["rhythm"], given["hour"], given["weekday"]),
        }


def _choices(actor: Person) -> list[Any]:
    collections = visible_collections(actor).order_by("name")
    sources = visible_sources(actor).order_by("title", "url")[:SOURCES_OFFERED]
    return [
        ("mine", _("everything I follow")),
        (_("Collections"), [(f"collection:{one.slug}", gettext(one.name)) for one in collections]),
        (_("Sources"), [(f"source:{one.pk}", str(one)) for one in sources]),
    ]
