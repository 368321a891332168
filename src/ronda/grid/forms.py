"""Forms of the grid: URLs to fetch, filters, a host's pace, opt-outs."""

from __future__ import annotations

import re
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from ronda.errors import InvalidInput
from ronda.frontier.hosts import LONGEST_DELAY_SECONDS, MOST_NODES
from ronda.frontier.places import is_country
from ronda.frontier.queries import HostGroup
from ronda.grid.fetch_results import OUTCOMES
from ronda.grid.policies import STRATEGY
from ronda.grid.url_lists import urls_in
from ronda.grid.vantage import MOST_COUNTRIES
from ronda.grid.wording import STRATEGIES
from ronda.http.wording import wording
from ronda.policies.queries import value_of

DAY = 86_400
AGES = (
    ("", _("As the settings say")),
    ("0", _("Fetch everything anew")),
    ("3600", _("Take what the archive has of the last hour")),
    (str(DAY), _("Take what the archive has of the last day")),
    (str(7 * DAY), _("Take what the archive has of the last week")),
    (str(30 * DAY), _("Take what the archive has of the last 30 days")),
)
_LONE = {"autocomplete": "off"}


class FetchForm(forms.Form):
    urls = forms.CharField(
        label=_("URLs"),
        required=False,
        strip=False,
        help_text=_("One a line. Empty lines and lines that begin with # are passed over."),
        widget=forms.Textarea(
            attrs={"rows": 8, "spellcheck": "false", "placeholder": "https://example.org/", **_LONE}
        ),
    )
    file = forms.FileField(
        label=_("Or a text file"),
        required=False,
        allow_empty_file=True,
        help_text=_("In the same form, up to 100,000 URLs."),
        widget=forms.FileInput(attrs={"accept": ".txt,.csv,.ndjson,.jsonl,text/plain"}),
    )
    max_age = forms.ChoiceField(label=_("From the archive"), choices=AGES, required=False)
    strategy = forms.ChoiceField(
        label=_("Strategy"),
        required=False,
        initial=lambda: value_of(STRATEGY),
        choices=[(strategy.value, words) for strategy, words in STRATEGIES.items()],
        help_text=_("Who is preferred. Nobody waits long for it: after a head start anybody may fetch."),
    )
    vantage = forms.CharField(
        label=_("From several countries"),
        required=False,
        max_length=200,
        help_text=_(
            "Two letters each, like CL, DE: every URL is fetched from each of them, and the answers are compared. "
            "Empty: from anywhere."
        ),
        widget=forms.TextInput(attrs={"autocapitalize": "characters", "spellcheck": "false", **_LONE}),
    )

    def clean_vantage(self) -> list[str]:
        given = re.findall(r"[^\s,;]+", self.cleaned_data["vantage"].upper())
        if unknown := next((code for code in given if not is_country(code)), None):
            raise forms.ValidationError(
                _("“%(code)s” is no country; give two letters, like CL or DE."), params={"code": unknown}
            )
        if len(set(given)) > MOST_COUNTRIES:
            raise forms.ValidationError(
                _("Give at most %(number)s countries."), params={"number": MOST_COUNTRIES}
            )
        return given

    def clean(self) -> dict[str, Any]:
        """`wanted`: the URLs of both, in order."""
        given = super().clean() or {}
        wanted: list[str] = []
        for name, text in (("urls", given.get("urls") or ""), ("file", self._file_text(given))):
            try:
                wanted += urls_in(text)
            except InvalidInput as error:
                self.add_error(name, wording(error))
        if not wanted and not self.errors:
            self.add_error("urls", _("Paste at least one URL, or choose a file."))
        return {**given, "wanted": wanted}

    def _file_text(self, given: dict[str, Any]) -> str:
        file = given.get("file")
        return file.read().decode("utf-8", "replace") if file else ""

    @property
    def max_age_seconds(self) -> int | None:
        chosen = self.cleaned_data["max_age"]
        return int(chosen) if chosen else None


class ResultFilter(forms.Form):
    outcome = forms.ChoiceField(
        label=_("Answer"),
        required=False,
        choices=[
            ("", _("Any")),
            *((name, name) for name in OUTCOMES[:4]),
            ("failed", _("failed")),
            ("refused", _("refused")),
            ("cancelled", _("cancelled")),
        ],
    )
    host = forms.CharField(label=_("Host"), required=False, max_length=264)
    reason = forms.CharField(required=False, max_length=300, widget=forms.HiddenInput)


class HostFilter(forms.Form):
    search = forms.CharField(
        label=_("Search"),
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"type": "search", **_LONE}),
    )
    group = forms.ChoiceField(
        label=_("Which"),
        required=False,
        choices=[
            ("", _("All hosts")),
            (HostGroup.QUEUED.value, _("With URLs queued")),
            (HostGroup.HELD.value, _("Held by a node")),
            (HostGroup.RESTING.value, _("Resting (back-off)")),
            (HostGroup.UNREACHABLE.value, _("robots.txt unreachable")),
            (HostGroup.OPTED_OUT.value, _("Opted out")),
        ],
    )


class HostForm(forms.Form):
    delay_seconds = forms.FloatField(
        label=_("Delay set by hand (seconds)"),
        required=False,
        min_value=0,
        max_value=LONGEST_DELAY_SECONDS,
        help_text=_(
            "Empty: the longest of the least delay, its Crawl-delay and its latency times the factor."
        ),
        widget=forms.NumberInput(attrs={"step": "any"}),
    )
    max_nodes = forms.IntegerField(
        label=_("Nodes at a time"),
        min_value=1,
        max_value=MOST_NODES,
        help_text=_("Counts where the delay counts per node; else one at a time keeps it for all."),
    )
    is_delay_per_node = forms.BooleanField(
        label=_("The delay counts per node"),
        required=False,
        help_text=_("Then several nodes ask it more often than one would. Only where its owner agrees."),
    )
    note = forms.CharField(
        label=_("Reason"),
        max_length=200,
        required=False,
        help_text=_("For whoever reads the history later. May stay empty."),
        widget=forms.TextInput(attrs=_LONE),
    )


class OptOutForm(forms.Form):
    pattern = forms.CharField(
        label=_("Host or domain"),
        max_length=264,
        help_text=_("www.example.org, or *.example.org for the domain and all below it."),
        widget=forms.TextInput(attrs={"autocapitalize": "none", "spellcheck": "false", **_LONE}),
    )
    reason = forms.CharField(
        label=_("Reason"),
        max_length=200,
        help_text=_("Clients see it beside each URL that is refused."),
        widget=forms.TextInput(attrs=_LONE),
    )
