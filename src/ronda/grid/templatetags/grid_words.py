"""The grid's words in templates."""

from __future__ import annotations

from django import template

from ronda.frontier.strategies import Strategy
from ronda.frontier.waiting import WaitsFor
from ronda.grid.comparing import Rung
from ronda.grid.models import AnswerState
from ronda.grid.node_words import said_in_words
from ronda.grid.wording import RUNGS, STRATEGIES, WAITS, reason_in_words

register = template.Library()
register.filter("reason_in_words", reason_in_words)
register.filter("said_in_words", said_in_words)


@register.filter
def waits_in_words(reason: WaitsFor) -> str:
    return str(WAITS[reason])


@register.filter
def strategy_in_words(strategy: str) -> str:
    return str(STRATEGIES[Strategy(strategy)])


@register.filter
def rung_in_words(rung: str) -> str:
    return str(RUNGS[Rung(rung)])


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
