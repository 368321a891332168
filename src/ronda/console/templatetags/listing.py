"""Heads of sortable columns."""

from __future__ import annotations

from typing import Any

from django import template

register = template.Library()


@register.inclusion_tag("console/sort_header.html", takes_context=True)
def sort_header(context: dict[str, Any], field: str, title: str, kind: str = "") -> dict[str, Any]:
    """A column's head that sorts by it, and the other way round when it does so already."""
    current = context["page"].sort
    order = {field: "ascending", f"-{field}": "descending"}.get(current)
    query = context["request"].GET.copy()
    query.pop("page", None)
    query["sort"] = f"-{field}" if order == "ascending" else field
    return {"title": title, "order": order, "query": query.urlencode(), "field": field, "kind": kind}
