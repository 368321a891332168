"""Scores in templates."""

from __future__ import annotations

from django import template

from ronda.rounds.score_models import VersionScore
from ronda.rounds.score_wording import component_words, score_sentences

register = template.Library()


@register.filter
def sentences(weight: VersionScore) -> list[str]:
    return score_sentences(weight)


@register.filter
def component(name: str) -> str:
    return component_words(name)
