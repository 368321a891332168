"""The places of the console and who sees them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.archive.queries import READERS

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise


@dataclass(frozen=True)
class Place:
    title: str | _StrPromise
    url_name: str
    roles: tuple[Role, ...] = ()


PLACES = (
    Place(_("Overview"), "overview"),
    Place(_("Sources"), "sources", READERS),
    Place(_("Collections"), "collections", READERS),
    Place(_("Search"), "search", READERS),
    Place(_("Favourites"), "favourites", READERS),
    Place(_("Grid"), "grid", (Role.DIRECTOR, Role.CONTRIBUTOR, Role.CLIENT)),
    Place(_("Fetches"), "fetches", (Role.CLIENT,)),
    Place(_("Hosts"), "hosts", (Role.DIRECTOR,)),
    Place(_("Opt-outs"), "opt-outs", (Role.DIRECTOR,)),
    Place(_("My machines"), "nodes", (Role.CONTRIBUTOR,)),
    Place(_("Jobs"), "jobs"),
    Place(_("Credits"), "credits", (Role.CLIENT, Role.CONTRIBUTOR, Role.DIRECTOR)),
    Place(_("Notifications"), "notifications", READERS),
    Place(_("Tokens"), "tokens"),
    Place(_("Settings"), "settings", (Role.DIRECTOR,)),
    Place(_("People"), "people", (Role.ADMINISTRATOR,)),
    Place(_("System"), "system", (Role.ADMINISTRATOR,)),
)


@dataclass(frozen=True)
class Entry:
    """A place as one person sees it from one page."""

    title: str | _StrPromise
    address: str
    is_current: bool


def entries_for(person: Person, path: str) -> list[Entry]:
    return [_entry(place, path) for place in PLACES if not place.roles or person.has_role(*place.roles)]


def _entry(place: Place, path: str) -> Entry:
    address = reverse(place.url_name)
    is_inside = address != "/" and path.startswith(f"{address}/")
    return Entry(place.title, address, path == address or is_inside)
