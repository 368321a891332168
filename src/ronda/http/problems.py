"""Errors of the API as RFC 9457 problem details."""

from __future__ import annotations

from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from django.http import HttpResponse, JsonResponse
from django.utils.translation import gettext_noop as _

from ronda.errors import InvalidInput, RondaError, http_status
from ronda.logs import request_id

CONTENT_TYPE = "application/problem+json"


@dataclass(frozen=True)
class Problem:
    status: int
    detail: str
    errors: list[dict[str, Any]] = field(default_factory=list)
    retry_after_seconds: int | None = None

    def as_response(self) -> HttpResponse:
        body: dict[str, Any] = {
            "type": "about:blank",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
            "id": request_id.get(),
        }
        if self.errors:
            body["errors"] = self.errors
        response = JsonResponse(body, status=self.status, content_type=CONTENT_TYPE)
        if self.retry_after_seconds is not None:
            response.headers["Retry-After"] = str(self.retry_after_seconds)
        if self.status == HTTPStatus.UNAUTHORIZED:
            response.headers["WWW-Authenticate"] = "Bearer"
        return response


def problem_of(error: RondaError) -> Problem:
    errors = (
        [{"field": error.field, "message": error.message}]
        if isinstance(error, InvalidInput) and error.field
        else []
    )
    return Problem(http_status(error), str(error), errors, error.retry_after_seconds)


def problem_of_status(status: int) -> Problem:
    """For answers that Django or the server made on their own."""
    details = {
        400: _("The request could not be understood."),
        401: _("Log in, or send a valid token in the Authorization header."),
        403: _("This is refused."),
        404: _("There is nothing at this address."),
        405: _("This address does not take that method."),
        413: _("The body is larger than allowed."),
        415: _("This content type is not taken here."),
        429: _("Too many requests. Wait a little."),
        500: _("Something went wrong on our side; the id of this answer stands in the log."),
    }
    return Problem(status, details.get(status, HTTPStatus(status).phrase))
