"""How a kind of job is called for people."""

from __future__ import annotations

from django import template

from ronda.jobs.kinds import all_kinds

register = template.Library()


@register.filter
def kind_title(name: str) -> str:
    """Its title; its bare name if no room of this release knows it any more."""
    return next((str(kind.title) for kind in all_kinds() if kind.name == name), name)
