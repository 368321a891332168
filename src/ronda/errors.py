"""The error vocabulary every room builds on, and the one table from error to HTTP status and exit code.

RondaError
├── InvalidInput        what was asked cannot be done as it was asked
├── NotAuthenticated    no valid session or token
├── Forbidden           known, but lacking the role
├── PaymentRequired     the balance does not cover it
├── NotFound            no such thing, or not yours
├── Gone                there was such a thing, and it was taken away
├── Conflict            the state of the thing does not allow it
├── TooLarge            body or value over its cap
├── TooMany             slow down; carries when to come back
└── Unavailable         something we need is not there now
"""

from __future__ import annotations

from collections.abc import Mapping


class RondaError(Exception):
    """Something went wrong."""

    def __init__(
        self,
        message: str | None = None,
        *,
        hint: str | None = None,
        retry_after_seconds: int | None = None,
        values: Mapping[str, object] | None = None,
    ) -> None:
        # What a message has in braces stands apart from it, so that pages can say it in the reader's language.
        self.template = message or (type(self).__doc__ or "").strip()
        self.values = values or {}
        self.message = self.template.format(**self.values) if self.values else self.template
        self.hint = hint
        self.retry_after_seconds = retry_after_seconds
        super().__init__(self.message)

    def __str__(self) -> str:
        return f"{self.message} {self.hint}" if self.hint else self.message


class InvalidInput(RondaError):
    """The input is not valid."""

    def __init__(
        self, message: str | None = None, *, field: str | None = None, hint: str | None = None
    ) -> None:
        self.field = field
        super().__init__(message, hint=hint)


class NotAuthenticated(RondaError):
    """Log in, or send a valid token in the Authorization header."""


class Forbidden(RondaError):
    """You lack the role this needs."""


class PaymentRequired(RondaError):
    """Your balance does not cover this."""


class NotFound(RondaError):
    """There is no such thing, or it is not yours to see."""


class Gone(RondaError):
    """It was there, and was taken away."""


class Conflict(RondaError):
    """Its present state does not allow this."""


class TooLarge(RondaError):
    """The body is larger than allowed."""


class TooMany(RondaError):
    """Too many attempts. Wait a little."""


class Unavailable(RondaError):
    """Something Ronda needs is not available now. Try again shortly."""


# error → (HTTP status, exit code of a command). Exit 2 is "you can mend this by asking differently".
OUTCOMES: dict[type[RondaError], tuple[int, int]] = {
    InvalidInput: (422, 2),
    NotAuthenticated: (401, 2),
    Forbidden: (403, 2),
    PaymentRequired: (402, 1),
    NotFound: (404, 1),
    Gone: (410, 1),
    Conflict: (409, 1),
    TooLarge: (413, 2),
    TooMany: (429, 1),
    Unavailable: (503, 1),
    RondaError: (500, 1),
}


def _outcome(error: RondaError) -> tuple[int, int]:
    return next(OUTCOMES[kind] for kind in type(error).__mro__ if kind in OUTCOMES)


def http_status(error: RondaError) -> int:
    return _outcome(error)[0]


def exit_code(error: RondaError) -> int:
    return _outcome(error)[1]
