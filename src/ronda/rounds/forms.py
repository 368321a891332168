"""Forms of what is followed: sources, filters, lists, collections, topics."""

from __future__ import annotations

from math import ceil
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ronda.accounts.models import Person
from ronda.archive.models import Topic
from ronda.archive.queries import visible_collections
from ronda.errors import InvalidInput
from ronda.http.wording import wording
from ronda.policies.queries import value_of
from ronda.rounds import intervals, wishes
from ronda.rounds.models import PageState, Scope, Source, SourceState
from ronda.rounds.policies import DEFAULT_COLLECTION
from ronda.rounds.queries import SourceFilter, tags_in_use
from ronda.rounds.wishes import Wish, wish_of

MEBIBYTE = 1024**2
MINUTE = 60
_PLAIN = {"autocomplete": "off", "spellcheck": "false", "autocapitalize": "none"}


def collection_choices(actor: Person) -> list[tuple[str, str]]:
    """Those that came with Ronda in the reader's language, those people made as they named them."""
    return sorted(
        ((c.slug, gettext(c.name)) for c in visible_collections(actor)), key=lambda choice: choice[1]
    )


def topic_choices() -> list[tuple[str, str]]:
    return [
        (str(topic.code), f"{topic.code} {gettext(topic.name)}") for topic in Topic.objects.order_by("code")
    ]


class SourceForm(forms.Form):
    url = forms.CharField(
        label=_("Address"),
        max_length=2048,
        help_text=_("Where it begins."),
        widget=forms.TextInput(attrs={"inputmode": "url", "placeholder": "https://example.org/", **_PLAIN}),
    )
    title = forms.CharField(label=_("Title"), required=False, max_length=wishes.LONGEST_TITLE)
    collection = forms.ChoiceField(label=_("Collection"))
    topic = forms.ChoiceField(label=_("Topic"), required=False)
    scope = forms.ChoiceField(label=_("How far it reaches"), choices=Scope.choices, initial=Scope.HOST)
    every = forms.CharField(
        label=_("How often"),
        max_length=10,
        initial=intervals.AUTO,
        help_text=_("30m, 12h, 1d, 2w; or auto: Ronda finds it."),
        widget=forms.TextInput(attrs=_PLAIN),
    )
    depth = forms.IntegerField(label=_("Links deep"), min_value=0, max_value=wishes.MOST_DEPTH, initial=3)
    max_pages = forms.IntegerField(
        label=_("Pages at most"), min_value=1, max_value=wishes.MOST_PAGES, initial=1000
    )
    max_bytes = forms.IntegerField(
        label=_("Megabytes at most"), min_value=1, max_value=wishes.BYTES[1] // MEBIBYTE, initial=1024
    )
    max_seconds = forms.IntegerField(
        label=_("Minutes at most"), min_value=1, max_value=wishes.SECONDS[1] // MINUTE, initial=360
    )
    tags = forms.CharField(
        label=_("Tags"), required=False, max_length=900, help_text=_("Separated by commas.")
    )
    notes = forms.CharField(
        label=_("Notes"),
        required=False,
        max_length=wishes.LONGEST_NOTES,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    is_for_any_node = forms.BooleanField(
        label=_("Also by machines not yet trusted"),
        required=False,
        help_text=_("By default only trusted ones capture what is kept."),
    )

    def __init__(
        self, actor: Person, data: QueryDict | None = None, *, source: Source | None = None, url: str = ""
    ) -> None:
        fresh = {"collection": str(value_of(DEFAULT_COLLECTION)), "url": url}
        super().__init__(data, initial=_initial(source) if source else fresh)
        self.fields["collection"].choices = collection_choices(actor)  # type: ignore[attr-defined]
        self.fields["topic"].choices = [("", _("None")), *topic_choices()]  # type: ignore[attr-defined]

    def clean_every(self) -> int | None:
        try:
            return intervals.seconds_of(self.cleaned_data["every"])
        except InvalidInput as error:
            raise forms.ValidationError(wording(error)) from None

    def wished(self) -> dict[str, Any]:
        """As fields of a wish; of an old source, only those that were changed."""
        given = {**self.cleaned_data, "every_seconds": self.cleaned_data["every"]}
        del given["every"]
        given["topic"] = int(given["topic"]) if given["topic"] else None
        given["tags"] = tuple(given["tags"].split(","))
        given["max_bytes"] *= MEBIBYTE
        given["max_seconds"] *= MINUTE
        changed = {"every_seconds" if name == "every" else name for name in self.changed_data}
        return {name: value for name, value in given.items() if name in changed}

    def wish(self) -> Wish:
        return Wish(**{"collection": self.cleaned_data["collection"], **self.wished()})


def _initial(source: Source) -> dict[str, Any]:
    wish = wish_of(source)
    return {
        **{name: getattr(wish, name) for name in ("url", "title", "collection", "scope", "depth")},
        **{name: getattr(wish, name) for name in ("max_pages", "notes", "is_for_any_node")},
        "topic": "" if wish.topic is None else str(wish.topic),
        "every": intervals.words_of(wish.every_seconds),
        "max_bytes": ceil(wish.max_bytes / MEBIBYTE),
        "max_seconds": ceil(wish.max_seconds / MINUTE),
        "tags": ", ".join(wish.tags),
    }


class SourcesFilter(forms.Form):
    search = forms.CharField(
        label=_("Search"),
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"type": "search", "autocomplete": "off"}),
    )
    collection = forms.ChoiceField(label=_("Collection"), required=False)
    topic = forms.ChoiceField(label=_("Topic"), required=False)
    state = forms.ChoiceField(
        label=_("State"), required=False, choices=[("", _("Any")), *SourceState.choices]
    )
    tag = forms.ChoiceField(label=_("Tag"), required=False)

    def __init__(self, actor: Person, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = {
            "collection": collection_choices(actor),
            "topic": topic_choices(),
            "tag": [(tag, tag) for tag in tags_in_use(actor=actor)],
        }
        for name, known in choices.items():
            self.fields[name].choices = [("", _("Any")), *known]  # type: ignore[attr-defined]

    def wanted(self) -> SourceFilter:
        """Nonsense in the address bar filters nothing."""
        if not self.is_valid():
            return SourceFilter()
        given = dict(self.cleaned_data)
        given["topic"] = int(given["topic"]) if given["topic"] else None
        return SourceFilter(**given)


class DeleteForm(forms.Form):
    versions = forms.ChoiceField(
        label=_("What was kept"),
        choices=[
            ("keep", _("It stays, to be found and replayed")),
            ("forget", _("It is forgotten, too")),
        ],
        initial="keep",
        widget=forms.RadioSelect,
    )
    because = forms.CharField(
        label=_("Why it is forgotten"),
        required=False,
        max_length=300,
        help_text=_("Stays on record, with your name."),
    )

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if given.get("versions") == "forget" and not given.get("because"):
            self.add_error("because", _("Say why."))
        return given


class ListForm(forms.Form):
    file = forms.FileField(
        label=_("CSV file"),
        help_text=_("Its first line names the columns, as in the export; only url is needed."),
        widget=forms.FileInput(attrs={"accept": ".csv,text/csv"}),
    )


class PagesFilter(forms.Form):
    search = forms.CharField(
        label=_("Address"),
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"type": "search", "autocomplete": "off"}),
    )
    kind = forms.ChoiceField(
        label=_("Which"),
        required=False,
        choices=[
            ("kept", _("captured")),
            ("new", _("new or changed")),
            ("unchanged", _("unchanged")),
            (PageState.FAILED.value, PageState.FAILED.label),
            (PageState.REFUSED.value, PageState.REFUSED.label),
            (PageState.LEFT.value, PageState.LEFT.label),
            ("", _("All")),
        ],
    )


class ForgetForm(forms.Form):
    because = forms.CharField(label=_("Why"), max_length=300, help_text=_("Stays on record, with your name."))


class CollectionForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=120)
    slug = forms.CharField(
        label=_("Short name"),
        max_length=60,
        help_text=_("For addresses and commands: small letters, digits and hyphens. It stays for good."),
        widget=forms.TextInput(attrs=_PLAIN),
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
