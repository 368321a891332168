"""Forms of what is followed: sources, filters, lists."""

from __future__ import annotations

from math import ceil
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.archive.models import Topic
from ronda.archive.queries import visible_collections
from ronda.errors import InvalidInput
from ronda.http.wording import wording
from ronda.policies.queries import value_of
from ronda.rounds import intervals, wishes
from ronda.rounds.models import PageState, Scope, Source, SourceState
from ronda.rounds.policies import DEFAULT_COLLECTION
from ronda.rounds.predictor_names import AUTO, PREDICTORS
from ronda.rounds.queries import SourceFilter, tags_in_use
from ronda.rounds.wishes import Wish, wish_of

MEBIBYTE = 1024**2
MINUTE = 60
PLAIN = {"autocomplete": "off", "spellcheck": "false", "autocapitalize": "none"}


def collection_choices(actor: Person) -> list[tuple[str, str]]:
    """Those that came with Ronda in the reader's language, those people made as they named them."""
    return sorted(
        ((c.slug, gettext(c.name)) for c in visible_collections(actor)), key=lambda choice: choice[1]
    )


def topic_choices() -> list[tuple[str, str]]:
    return [
        (str(topic.code), f"{topic.code} {gettext(topic.name)}") for topic in Topic.objects.order_by("code")
    ]


def predictor_choices(now: str = "") -> list[tuple[str, str]]:
    """`now`: what is chosen, which may have an argument (fixed:7) and so be none of the list."""
    names = [AUTO, *PREDICTORS]
    listed = names if now in ("", *names) else [*names, now]
    return [("", gettext("as elsewhere")), *((name, name) for name in listed)]


class SourceForm(forms.Form):
    url = forms.CharField(
        label=_("Address"),
        max_length=2048,
        help_text=_("Where it begins."),
        widget=forms.TextInput(attrs={"inputmode": "url", "placeholder": "https://example.org/", **PLAIN}),
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
        widget=forms.TextInput(attrs=PLAIN),
    )
    predictor = forms.ChoiceField(
        label=_("Predictor"), required=False, help_text=_("Who says when, if how often is auto.")
    )
    weight = forms.FloatField(
        label=_("Weight"),
        required=False,
        min_value=wishes.WEIGHTS[0],
        max_value=wishes.WEIGHTS[1],
        initial=1,
        help_text=_("How much it counts where not all that is due can be visited."),
    )
    threshold = forms.FloatField(
        label=_("Important from"),
        required=False,
        min_value=0,
        max_value=1,
        help_text=_(
            "The score, from 0 to 1, from which people are told of a change; empty: what the settings say."
        ),
        widget=forms.NumberInput(attrs={"step": "any", "placeholder": "0.02"}),
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
    owner = forms.EmailField(
        label=_("Owner"),
        required=False,
        max_length=254,
        help_text=_("By mail address; directors may change it."),
    )
    # Which one of its states is edited.
    edition = forms.IntegerField(required=False, widget=forms.HiddenInput)
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
        if source is None or not actor.has_role(Role.DIRECTOR):
            del self.fields["owner"]
        self.fields["predictor"].choices = predictor_choices(source.predictor if source else "")  # type: ignore[attr-defined]

    def clean_every(self) -> int | None:
        try:
            return intervals.seconds_of(self.cleaned_data["every"])
        except InvalidInput as error:
            raise forms.ValidationError(wording(error)) from None

    def clean_weight(self) -> float:
        weight = self.cleaned_data["weight"]
        return 1.0 if weight is None else float(weight)

    def wished(self) -> dict[str, Any]:
        """As fields of a wish; of an old source, only those that were changed."""
        given = {**self.cleaned_data, "every_seconds": self.cleaned_data["every"]}
        del given["every"]
        given["topic"] = int(given["topic"]) if given["topic"] else None
        given["tags"] = tuple(given["tags"].split(","))
        given["max_bytes"] *= MEBIBYTE
        given["max_seconds"] *= MINUTE
        changed = {"every_seconds" if name == "every" else name for name in self.changed_data}
        changed -= {"owner", "edition"}
        return {name: value for name, value in given.items() if name in changed}

    @property
    def new_owner(self) -> str | None:
        return self.cleaned_data["owner"] if "owner" in self.changed_data else None

    def show_saved(self, source: Source) -> None:
        """Beside each value that would be replaced, what somebody else saved there; then it may be saved again."""
        saved = _initial(source)
        for name in set(self.changed_data) - {"edition"}:
            self.add_error(name, gettext("Saved now: %(value)s") % {"value": saved[name] or "–"})
        self.data = {**self.data.dict(), "edition": str(source.edition)}  # type: ignore[attr-defined]

    def wish(self) -> Wish:
        return Wish(**{"collection": self.cleaned_data["collection"], **self.wished()})


def _initial(source: Source) -> dict[str, Any]:
    wish = wish_of(source)
    return {
        **{name: getattr(wish, name) for name in ("url", "title", "collection", "scope", "depth")},
        **{name: getattr(wish, name) for name in ("max_pages", "notes", "is_for_any_node", "threshold")},
        **{name: getattr(wish, name) for name in ("predictor", "weight")},
        "topic": "" if wish.topic is None else str(wish.topic),
        "every": intervals.words_of(wish.every_seconds),
        "max_bytes": ceil(wish.max_bytes / MEBIBYTE),
        "max_seconds": ceil(wish.max_seconds / MINUTE),
        "tags": ", ".join(wish.tags),
        "owner": source.owner.email if source.owner else "",
        "edition": source.edition,
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
            ("cut", pgettext_lazy("documents", "cut off")),
            (PageState.FAILED.value, PageState.FAILED.label),
            (PageState.REFUSED.value, PageState.REFUSED.label),
            (PageState.LEFT.value, PageState.LEFT.label),
            ("", _("All")),
        ],
    )


class ForgetForm(forms.Form):
    because = forms.CharField(label=_("Why"), max_length=300, help_text=_("Stays on record, with your name."))
