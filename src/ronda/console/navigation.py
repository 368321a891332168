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


@dataclass(frozen=True)
class Group:
    """Places that belong together; the first one has no title, as it is where everybody begins."""

    title: str | _StrPromise
    places: tuple[Place, ...]


GROUPS = (
    Group("", (Place(_("Overview"), "overview"),)),
    Group(
        _("Archive"),
        (
            Place(_("Sources"), "sources", READERS),
            Place(_("Collections"), "collections", READERS),
            Place(_("Groups"), "groups", READERS),
            Place(_("Search"), "search", READERS),
            Place(_("Favourites"), "favourites", READERS),
            Place(_("Notifications"), "notifications", READERS),
        ),
    ),
    Group(
        _("Wikis and tables"),
        (
            Place(_("Articles"), "articles", READERS),
            Place(_("Wiki questions"), "wiki-query"),
            Place(_("Ask"), "ask", (Role.CLIENT,)),
        ),
    ),
    Group(
        _("Fetching"),
        (
            Place(_("Grid"), "grid", (Role.DIRECTOR, Role.CONTRIBUTOR, Role.CLIENT)),
            Place(_("Fetches"), "fetches", (Role.CLIENT,)),
            Place(_("Hosts"), "hosts", (Role.DIRECTOR,)),
            Place(_("Opt-outs"), "opt-outs", (Role.DIRECTOR,)),
            Place(_("My machines"), "nodes", (Role.CONTRIBUTOR,)),
            Place(_("Credits"), "credits", (Role.CLIENT, Role.CONTRIBUTOR, Role.DIRECTOR)),
        ),
    ),
    Group(
        _("House"),
        (
            Place(_("Jobs"), "jobs"),
            Place(_("Tokens"), "tokens"),
            Place(_("Settings"), "settings", (Role.DIRECTOR,)),
            Place(_("People"), "people", (Role.ADMINISTRATOR,)),
            Place(_("System"), "system", (Role.ADMINISTRATOR,)),
        ),
    ),
)


@dataclass(frozen=True)
class Entry:
    """A place as one person sees it from one page."""

    title: str | _StrPromise
    address: str
    is_current: bool


@dataclass(frozen=True)
class Section:
    """What one person sees of a group."""

    title: str | _StrPromise
    entries: tuple[Entry, ...]


def sections_for(person: Person, path: str) -> list[Section]:
    sections = [Section(group.title, _entries(group, person, path)) for group in GROUPS]
    return [section for section in sections if section.entries]


def _entries(group: Group, person: Person, path: str) -> tuple[Entry, ...]:
    seen = (place for place in group.places if not place.roles or person.has_role(*place.roles))
    return tuple(_entry(place, path) for place in seen)


def _entry(place: Place, path: str) -> Entry:
    address = reverse(place.url_name)
    is_inside = address != "/" and path.startswith(f"{address}/")
    return Entry(place.title, address, path == address or is_inside)
