"""JSON for people to read."""

from __future__ import annotations

import json

from django import template

register = template.Library()


@register.filter
def pretty_json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True, default=str)
