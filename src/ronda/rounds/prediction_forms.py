"""Forms of prediction: what if, groups, a new simulation, the predictor of a collection or topic."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ronda.accounts.models import Person
from ronda.prediction import scenarios
from ronda.prediction.comparison import FIXED_DAYS
from ronda.rounds import simulations
from ronda.rounds.forms import collection_choices, predictor_choices
from ronda.rounds.grouping import GroupFilter
from ronda.rounds.prediction_models import Behaviour, FrequencyGroup
from ronda.rounds.predictor_names import PREDICTORS
from ronda.rounds.simulations import Scenario, Wanted

OBJECTIVES = [
    ("versions", _("keep every version")),
    ("freshness", _("hold the latest")),
    ("0.5", _("both alike")),
]
USUAL_DAYS = 7


class SliderForm(forms.Form):
    """Nonsense in the address bar is taken for the usual."""

    days = forms.IntegerField(
        label=_("Fixed frequency"),
        min_value=FIXED_DAYS[0],
        max_value=FIXED_DAYS[-1],
        widget=forms.NumberInput(attrs={"type": "range", "step": 1}),
    )

    @property
    def chosen_days(self) -> int:
        return int(self.cleaned_data.get("days") or USUAL_DAYS) if self.is_valid() else USUAL_DAYS


class WhatIfForm(SliderForm):
    predictor = forms.ChoiceField(label=_("Predictor"), choices=[(name, name) for name in PREDICTORS])
    objective = forms.ChoiceField(label=_("What visits are for"), choices=OBJECTIVES)
    field_order = ("predictor", "objective", "days")


class GroupsFilter(forms.Form):
    collection = forms.ChoiceField(label=_("Collection"), required=False)
    group = forms.ChoiceField(
        label=_("How often"), required=False, choices=[("", _("Any")), *FrequencyGroup.choices]
    )
    behaviour = forms.ChoiceField(
        label=_("Behaviour"), required=False, choices=[("", _("Any")), *Behaviour.choices]
    )

    def __init__(self, actor: Person, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["collection"].choices = [("", _("Any")), *collection_choices(actor)]  # type: ignore[attr-defined]

    def wanted(self) -> GroupFilter:
        return GroupFilter(**self.cleaned_data) if self.is_valid() else GroupFilter()


class ChoiceForm(forms.Form):
    """The predictor of a collection or a topic."""

    predictor = forms.ChoiceField(label=_("Predictor"), required=False)

    def __init__(self, now: str = "") -> None:
        super().__init__(initial={"predictor": now})
        self.fields["predictor"].choices = predictor_choices(now)  # type: ignore[attr-defined]


class SimulationForm(forms.Form):
    title = forms.CharField(label=_("Title"), required=False, max_length=200)
    what = forms.ChoiceField(
        label=_("On what"),
        choices=[
            ("collection", _("what was seen in a collection")),
            ("trace", _("a trace of mine")),
            ("scenario", _("a made-up web")),
        ],
        initial="collection",
        widget=forms.RadioSelect,
    )
    collection = forms.ChoiceField(label=_("Collection"), required=False)
    trace = forms.FileField(
        label=_("CSV file"),
        required=False,
        help_text=_("source,changed_at and maybe size_bytes, content_id, notified_at; up to 8 MiB."),
        widget=forms.FileInput(attrs={"accept": ".csv,text/csv"}),
    )
    scenario = forms.ChoiceField(
        label=_("Made-up web"), required=False, choices=[(name, name) for name in scenarios.SCENARIOS]
    )
    sources = forms.IntegerField(label=_("Sources"), required=False, min_value=1, initial=100)
    days = forms.IntegerField(label=_("Days"), required=False, min_value=1, max_value=36_500, initial=365)
    seed = forms.IntegerField(label=_("Seed"), required=False, min_value=0, max_value=2**31, initial=1)
    predictors = forms.MultipleChoiceField(
        label=_("Predictors"),
        choices=[(name, name) for name in PREDICTORS],
        initial=list(PREDICTORS),
        widget=forms.CheckboxSelectMultiple,
    )
    objective = forms.ChoiceField(label=_("What visits are for"), choices=OBJECTIVES)
    visits_per_day = forms.FloatField(
        label=_("Visits a day"),
        required=False,
        min_value=0.001,
        max_value=24,
        help_text=_("Of a source, the most urgent first; empty: each predictor as often as it likes."),
    )

    def __init__(self, actor: Person, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["collection"].choices = collection_choices(actor)  # type: ignore[attr-defined]

    def clean_trace(self) -> str:
        file = self.cleaned_data["trace"]
        if not file:
            return ""
        if file.size > simulations.MOST_TRACE_BYTES:
            raise forms.ValidationError(gettext("A trace has at most 8 MiB here."))
        try:
            return str(file.read().decode("utf-8-sig"))
        except UnicodeDecodeError:
            raise forms.ValidationError(gettext("This is no UTF-8 text.")) from None

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if given.get("what") == "trace" and not given.get("trace") and "trace" not in self.errors:
            self.add_error("trace", _("Choose a file."))
        return given

    def wanted(self) -> Wanted:
        given = self.cleaned_data
        what = given["what"]
        numbers = {name: given[name] for name in ("sources", "days", "seed") if given[name] is not None}
        return Wanted(
            title=given["title"],
            trace=given["trace"] if what == "trace" else "",
            collection=given["collection"] if what == "collection" else "",
            scenario=Scenario(given["scenario"], **numbers) if what == "scenario" else None,
            predictors=given["predictors"],
            objective=given["objective"],
            visits_per_day=given["visits_per_day"],
        )
