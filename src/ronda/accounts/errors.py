"""What can go wrong with accounts.

RondaError
├── AddressTaken, WrongPassword          (InvalidInput)
├── TokenRefused, LinkSpent              (NotAuthenticated)
├── RegistrationClosed                   (Forbidden)
├── NoSuchPerson, NoSuchToken,
│   RegistrationSpent                    (NotFound)
└── LastAdministrator                    (Conflict)
"""

from __future__ import annotations

from ronda.errors import Conflict, Forbidden, InvalidInput, NotAuthenticated, NotFound


class AddressTaken(InvalidInput):
    """There is an account with this mail address already."""


class WrongPassword(InvalidInput):
    """That is not your password."""


class TokenRefused(NotAuthenticated):
    """The token is unknown or revoked. Create one on the Tokens page."""


class LinkSpent(NotAuthenticated):
    """This login link has been used or has expired. Get a new one with `ronda login-link`."""


class RegistrationSpent(NotFound):
    """This link has been used or is older than a day. Log in, or register again."""


class RegistrationClosed(Forbidden):
    """Registration is closed here. Ask an administrator for an account."""


class NoSuchPerson(NotFound):
    """There is no such person."""


class NoSuchToken(NotFound):
    """There is no such token, or it is not yours."""


class LastAdministrator(Conflict):
    """This is the last administrator. Make somebody else one first."""
