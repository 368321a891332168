"""Which nodes are there now, and where."""

from __future__ import annotations

import uuid

from django.db.models import QuerySet
from django.utils import timezone

from ronda.frontier.places import continent_of
from ronda.frontier.strategies import Preference
from ronda.grid.models import AWAY_AFTER, Node
from ronda.grid.policies import HEAD_START_SECONDS
from ronda.policies.queries import value_of


def at_work() -> QuerySet[Node]:
    """Nodes that are there and may get work."""
    return Node.objects.filter(seen_at__gt=timezone.now() - AWAY_AFTER, paused_at=None, removed_at=None)


def ready() -> QuerySet[Node]:
    """Those of them that ask for it."""
    return at_work().filter(resting_because="")


def alike(node: Node) -> list[uuid.UUID]:
    """Who would most likely say the same: this node; all of its person's, where there are other people's."""
    present = at_work()
    if present.exclude(owner=node.owner_id).exists():
        return [
            node.pk,
            *present.filter(owner=node.owner_id).exclude(pk=node.pk).values_list("pk", flat=True),
        ]
    return [node.pk]


def countries_present() -> list[str]:
    return list(
        at_work().exclude(country="").values_list("country", flat=True).distinct().order_by("country")
    )


def preference_now() -> Preference:
    present = list(ready().values_list("pk", "country"))
    countries = {country for _, country in present}
    return Preference(
        nodes=tuple(node for node, _ in present),
        countries=tuple(countries),
        continents=tuple({continent_of(country) for country in countries if country}),
        head_start_seconds=float(value_of(HEAD_START_SECONDS)),
    )
