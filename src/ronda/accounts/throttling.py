"""Wrong passwords are counted: for one account from one address, and for one address whatever the account.

The second stops whoever tries one likely password on many accounts. Every place that asks for a password counts:
logging in, and confirming with one's password that one may change it or leave.
"""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any

from axes.attempts import get_cool_off_threshold
from axes.handlers.database import AxesDatabaseHandler
from axes.models import AccessAttempt
from axes.utils import reset
from django.conf import settings
from django.contrib.auth import authenticate
from django.db.models import Sum
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from ronda.accounts.models import Person
from ronda.errors import TooMany
from ronda.http.errors import respond_to

REST_SECONDS = 15 * 60
# Many people may share an address (an office, a school), and all of them mistype.
FAILURES_OF_ADDRESS = 30


class Throttle(AxesDatabaseHandler):  # type: ignore[misc]
    def get_failures(self, request: HttpRequest, credentials: dict[str, Any] | None = None) -> int:
        """Of this account from this address; an address with too many of any account has them all."""
        if _failures_of_address(request) >= FAILURES_OF_ADDRESS:
            return int(settings.AXES_FAILURE_LIMIT)
        return int(super().get_failures(request, credentials))


def _failures_of_address(request: HttpRequest) -> int:
    recent = AccessAttempt.objects.filter(
        ip_address=client_address(request), attempt_time__gte=get_cool_off_threshold(request)
    )
    return recent.aggregate(total=Sum("failures_since_start"))["total"] or 0


def client_address(request: HttpRequest) -> str | None:
    """Who is counted: an IPv4 address, or a /64 of IPv6, which is what one subscriber has.

    It is the peer's, or what a trusted proxy says (RONDA_TRUSTED_PROXIES): the server has seen to that.
    """
    try:
        address = ip_address(request.META.get("REMOTE_ADDR", ""))
    except ValueError:
        return None
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped:
            return str(address.ipv4_mapped)
        return str(ip_network((address.packed, 64), strict=False).network_address)
    return str(address)


def account_named(request: HttpRequest, credentials: dict[str, Any] | None = None) -> str:
    """Whose account is tried: addresses are compared without case, so attempts are counted without it."""
    given = (credentials or {}).get("username") or request.POST.get("username", "")
    return _counted_as(str(given))


def _counted_as(email: str) -> str:
    return email.strip().casefold()[:255]


def is_password_of(request: HttpRequest, person: Person, password: str) -> bool:
    """Whether somebody who is logged in knows the password too. A wrong one counts like one at the login."""
    return authenticate(request, username=person.email, password=password) == person


def forgive(person: Person) -> None:
    """They proved to own the mailbox: what was tried before no longer counts."""
    reset(username=_counted_as(person.email))


def locked_out(request: HttpRequest, credentials: dict[str, Any] | None = None, *args: Any) -> HttpResponse:
    return respond_to(
        request,
        TooMany(
            _("Too many wrong passwords. Wait a quarter of an hour, or recover your password."),
            retry_after_seconds=REST_SECONDS,
        ),
    )
