"""Which nodes are there now, and where."""

from __future__ import annotations

from django.utils import timezone

from ronda.frontier.places import continent_of
from ronda.frontier.strategies import Preference
from ronda.grid.models import AWAY_AFTER, Node
from ronda.grid.policies import HEAD_START_SECONDS
from ronda.policies.queries import value_of


def preference_now() -> Preference:
    present = list(
        Node.objects.filter(
            seen_at__gt=timezone.now() - AWAY_AFTER, paused_at=None, removed_at=None
        ).values_list("pk", "country")
    )
    countries = {country for _, country in present}
    return Preference(
        nodes=tuple(node for node, _ in present),
        countries=tuple(countries),
        continents=tuple({continent_of(country) for country in countries if country}),
        head_start_seconds=float(value_of(HEAD_START_SECONDS)),
    )
