"""The grid's words in templates."""

from __future__ import annotations

from django import template

from ronda.frontier.waiting import WaitsFor
from ronda.grid.models import AnswerState
from ronda.grid.wording import WAITS, reason_in_words

register = template.Library()
register.filter("reason_in_words", reason_in_words)


@register.filter
def waits_in_words(reason: WaitsFor) -> str:
    return str(WAITS[reason])


@register.filter
def outcome_in_words(outcome: str) -> str:
    """A class of status as it is, a state translated."""
    return str(AnswerState(outcome).label) if outcome in AnswerState.values else outcome


@register.filter
def state_of_status(status: int) -> str:
    """Which colour a status has."""
    return (
        "succeeded"
        if status < 300
        else "running"
        if status < 400
        else "stopped"
        if status < 500
        else "failed"
    )
