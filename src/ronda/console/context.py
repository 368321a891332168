"""What the frame around every page needs, found out only when a template asks: error pages may not."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest

from ronda import __version__
from ronda.accounts.models import Person
from ronda.console.navigation import Section, sections_for


class Frame:
    def __init__(self, request: HttpRequest) -> None:
        self.request = request

    @cached_property
    def person(self) -> Person | None:
        """Who is logged in; nobody, if the database cannot say."""
        try:
            person = getattr(self.request, "user", None)
            if not isinstance(person, Person):
                return None
            _ = person.roles  # asked now, while a database that is gone can still be caught
        except (OperationalError, InterfaceError):
            return None
        return person

    @cached_property
    def sections(self) -> list[Section]:
        return sections_for(self.person, self.request.path) if self.person else []


def console(request: HttpRequest) -> dict[str, Any]:
    return {"ronda_version": __version__, "frame": Frame(request)}
