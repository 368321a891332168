"""Who is asking through the API: the person of a bearer token, or of the console's session."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from ninja.security import HttpBearer, SessionAuth

from ronda.accounts.models import Person
from ronda.accounts.services import person_of_token
from ronda.errors import NotAuthenticated


class TokenAuth(HttpBearer):
    def authenticate(self, request: HttpRequest, token: str) -> Person:
        person = person_of_token(token)
        request.user = person
        return person


class ConsoleSession(SessionAuth):
    """Lets the interactive API page work for whoever is logged in; protected against forged requests."""

    def _get_key(self, request: HttpRequest) -> str | None:
        """Who has no session is nobody, and is told so; only a session can be abused by a forged request."""
        return super()._get_key(request) if self.param_name in request.COOKIES else None

    def authenticate(self, request: HttpRequest, key: str | None) -> Any:
        return request.user if request.user.is_authenticated else None


def actor_of(request: HttpRequest) -> Person:
    """The person behind a request that passed authentication."""
    if not isinstance(request.user, Person):
        raise NotAuthenticated()
    return request.user
