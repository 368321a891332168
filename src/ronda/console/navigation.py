"""The places of the console and who sees them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from ronda.accounts.models import Person
from ronda.accounts.roles import Role

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise


@dataclass(frozen=True)
class Place:
    title: str | _StrPromise
    url_name: str
    roles: tuple[Role, ...] = ()


PLACES = (
    Place(_("Overview"), "overview"),
    Place(_("Jobs"), "jobs"),
    Place(_("People"), "people", (Role.ADMINISTRATOR,)),
    Place(_("Tokens"), "tokens"),
    Place(_("Settings"), "settings", (Role.DIRECTOR,)),
    Place(_("System"), "system", (Role.ADMINISTRATOR,)),
)


def entries_for(person: object, path: str) -> list[dict[str, Any]]:
    """Links for the navigation; the current one is marked."""
    if not isinstance(person, Person):
        return []
    entries = []
    for place in PLACES:
        if place.roles and not person.has_role(*place.roles):
            continue
        address = reverse(place.url_name)
        is_current = path == address or (address != "/" and path.startswith(address + "/"))
        entries.append({"title": place.title, "address": address, "is_current": is_current})
    return entries
