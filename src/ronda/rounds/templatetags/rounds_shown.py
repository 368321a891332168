"""Sources, visits and versions in templates."""

from __future__ import annotations

from django import template
from django.utils.formats import number_format
from django.utils.translation import gettext

from ronda.rounds import reasons
from ronda.rounds.intervals import words_of
from ronda.rounds.models import PageState, Source, SourceState, VisitOutcome
from ronda.rounds.prediction_models import Behaviour, FrequencyGroup
from ronda.rounds.reason_words import cut_said, reason_said
from ronda.rounds.schedule import Forecast

register = template.Library()
register.filter("reason_said", reason_said)
register.filter("cut_said", cut_said)

# Which colour of the console's states each has.
_STATES: dict[str, str] = {
    SourceState.ACTIVE: "well",
    SourceState.PAUSED: "stopped",
    VisitOutcome.CAPTURED: "succeeded",
    VisitOutcome.DOWN: "failed",
    VisitOutcome.REFUSED: "failed",
    VisitOutcome.CANCELLED: "cancelling",
    VisitOutcome.EXHAUSTED: "failed",
    VisitOutcome.OPEN: "running",
    PageState.DONE: "succeeded",
    PageState.FAILED: "failed",
}


@register.filter
def colour(word: str) -> str:
    return _STATES.get(word, word)


@register.filter
def interval(seconds: int | None) -> str:
    """auto, 12h, 1d: as it is written in forms and commands."""
    return words_of(seconds)


@register.filter
def said(text: str) -> str:
    """What the rooms say in English, in the reader's language where the catalogue has it."""
    return gettext(text) if text else ""


@register.filter
def why(planned: Source | Forecast) -> str:
    """Why a source is visited when it is, or would be."""
    if isinstance(planned, Source):
        return reasons.in_words(planned.next_visit_because, planned.next_visit_values)
    return reasons.in_words(planned.because, planned.values)


@register.filter
def group_name(name: str) -> str:
    """Of a frequency group or a behaviour."""
    if name in FrequencyGroup.values:
        return str(FrequencyGroup(name).label)
    return str(Behaviour(name).label) if name in Behaviour.values else "–"


@register.filter
def share(number: float | None) -> str:
    """A number from 0 to 1 with two decimals, as the document has frequencies."""
    return "–" if number is None else number_format(number, decimal_pos=2)
