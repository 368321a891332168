"""How settings and their values are shown to people; the database and the API keep the bare words."""

from __future__ import annotations

from django import template
from django.utils.translation import gettext as _

from ronda.errors import InvalidInput
from ronda.policies.forms import word_of
from ronda.policies.registry import Kind, Policy, policy_named

register = template.Library()


@register.filter
def setting_title(name: str) -> str:
    policy = policy_named(name)
    return str(policy.title) if policy else name


@register.filter
def shown_by(value: object, policy: Policy) -> str:
    """A value in words: yes, 90 days, Reader, Subscriber."""
    match policy.kind:
        case Kind.YES_NO:
            return _("yes") if value else _("no")
        case Kind.SOME_OF:
            return ", ".join(word_of(word) for word in str(value).split()) or _("none")
        case Kind.ONE_OF:
            return word_of(str(value))
    return f"{value} {policy.unit}".strip()


@register.filter
def shown_for(raw: str, name: str) -> str:
    """A value out of the history, which may be of a setting that is no more, or took other values then."""
    policy = policy_named(name)
    if policy is None:
        return raw
    try:
        return shown_by(policy.parse(raw), policy)
    except InvalidInput:
        return raw
