"""The roles a person may hold, and the one check every service makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models
from django.utils.translation import gettext, gettext_lazy as _

from ronda.errors import Forbidden, NotAuthenticated

if TYPE_CHECKING:
    from ronda.accounts.models import Person


class Role(models.TextChoices):
    ADMINISTRATOR = "administrator", _("Administrator")
    DIRECTOR = "director", _("Director")
    SUBSCRIBER = "subscriber", _("Subscriber")
    READER = "reader", _("Reader")
    CONTRIBUTOR = "contributor", _("Contributor")
    CLIENT = "client", _("Client")


MEANINGS = {
    Role.ADMINISTRATOR: _("manages people, processes and everything else"),
    Role.DIRECTOR: _("sets policies, caps and prices"),
    Role.SUBSCRIBER: _("follows sources"),
    Role.READER: _("searches and replays"),
    Role.CONTRIBUTOR: _("lends machines"),
    Role.CLIENT: _("asks for fetches and answers"),
}


def require(actor: Person | None, *roles: Role) -> Person:
    """The actor, if logged in and holding one of the roles (an administrator holds them all)."""
    if actor is None or not actor.is_authenticated:
        raise NotAuthenticated()
    if not actor.is_active:
        raise NotAuthenticated("This account has been closed.")
    if roles and not actor.has_role(*roles):
        wanted = gettext(" or ").join(str(role.label).lower() for role in roles)
        raise Forbidden(
            gettext("This needs the role %(role)s.") % {"role": wanted}, hint="Ask an administrator for it."
        )
    return actor
