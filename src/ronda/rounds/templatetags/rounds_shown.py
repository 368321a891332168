"""Sources, visits and versions in templates."""

from __future__ import annotations

from django import template
from django.utils.translation import gettext

from ronda.rounds.intervals import words_of
from ronda.rounds.models import PageState, SourceState, VisitOutcome

register = template.Library()

# Which colour of the console's states each has.
_STATES: dict[str, str] = {
    SourceState.ACTIVE: "well",
    SourceState.PAUSED: "stopped",
    VisitOutcome.CAPTURED: "succeeded",
    VisitOutcome.DOWN: "failed",
    VisitOutcome.REFUSED: "failed",
    VisitOutcome.CANCELLED: "cancelling",
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
