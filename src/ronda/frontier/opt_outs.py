"""Hosts that do not want to be fetched: who is on the list, who puts them there, and what that means for URLs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.db import connection, transaction
from django.db.models import Q, QuerySet

from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.errors import InvalidInput
from ronda.frontier import arrivals
from ronda.frontier.ending import refuse_requests_of
from ronda.frontier.errors import AlreadyOptedOut, NoSuchOptOut
from ronda.frontier.models import Host, HostChange, HostField, OptOut
from ronda_node.errors import UrlRefused
from ronda_node.policy import ANYWHERE
from ronda_node.urls import canonicalise

# Whoever queues URLs holds it shared, whoever changes the list alone: no URL slips in between the two.
_LOCK = "hashtextextended('frontier opt-outs', 0)"


def opt_outs(*, actor: Person | None, search: str = "") -> QuerySet[OptOut]:
    require(actor, Role.DIRECTOR)
    found = OptOut.objects.select_related("created_by")
    return found.filter(Q(pattern__icontains=search) | Q(reason__icontains=search)) if search else found


def add_opt_out(*, actor: Person | None, pattern: str, reason: str) -> OptOut:
    """From now on these hosts are not fetched; what is queued for them ends as refused, with the reason."""
    director = require(actor, Role.DIRECTOR)
    pattern, reason = _valid_pattern(pattern), reason.strip()
    if not reason or len(reason) > 200 or not reason.isprintable():
        raise InvalidInput("Give a reason of 1 to 200 printable characters.", field="reason")
    with transaction.atomic():
        _lock_the_list()
        if OptOut.objects.filter(pattern=pattern).exists():
            raise AlreadyOptedOut()
        added = OptOut.objects.create(pattern=pattern, reason=reason, created_by=director)
        _note(director, pattern, former="", value=reason)
        hosts = hosts_matching(pattern).filter(blocked_reason="").select_for_update()
        Host.objects.filter(pk__in=[host.pk for host in hosts]).update(blocked_reason=reason)
        arrivals.tell_holders()
    for host in hosts_matching(pattern).filter(has_work=True):
        refuse_requests_of(host, seconds=0)
    return added


def remove_opt_out(*, actor: Person | None, opt_out_id: int) -> None:
    """These hosts may be fetched again, unless another entry covers them too."""
    director = require(actor, Role.DIRECTOR)
    with transaction.atomic():
        _lock_the_list()
        gone = OptOut.objects.filter(pk=opt_out_id).first()
        if gone is None:
            raise NoSuchOptOut()
        gone.delete()
        _note(director, gone.pattern, former=gone.reason, value="")
        left = _patterns()
        for host in hosts_matching(gone.pattern).select_for_update():
            Host.objects.filter(pk=host.pk).update(blocked_reason=_reason_for(host.name, left))


def _lock_the_list() -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT pg_advisory_xact_lock({_LOCK})")


def refusals(names: Iterable[str]) -> dict[str, str]:
    """Which of these hosts opted out, and why. Holds off changes of the list until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT pg_advisory_xact_lock_shared({_LOCK})")
    patterns = _patterns()
    if not patterns:
        return {}
    found = {name: _reason_for(name, patterns) for name in set(names)}
    return {name: reason for name, reason in found.items() if reason}


def hosts_matching(pattern: str) -> QuerySet[Host]:
    """Hosts we know that an entry covers, at whatever port, in the order in which everybody locks them."""
    name = pattern.removeprefix("*.")
    is_it = Q(name=name) | Q(name__startswith=f"{name}:")
    if pattern != name:
        is_it |= Q(name__endswith=f".{name}") | Q(name__contains=f".{name}:")
    return Host.objects.filter(is_it).defer("robots_text").order_by("name")


def without_port(name: str) -> str:
    """`[::1]:8080` → `[::1]`"""
    host, colon, port = name.rpartition(":")
    return host if colon and not port.endswith("]") else name


def _patterns() -> dict[str, str]:
    return dict(OptOut.objects.values_list("pattern", "reason"))


def _reason_for(name: str, patterns: Mapping[str, str]) -> str:
    """The reason of the entry that says it most precisely; empty if none does."""
    name = without_port(name)
    labels = name.split(".")
    domains = (".".join(labels[start:]) for start in range(len(labels)))
    candidates = [name, *(f"*.{domain}" for domain in domains)]
    return next((patterns[candidate] for candidate in candidates if candidate in patterns), "")


def _valid_pattern(text: str) -> str:
    """In the form host names have here: lower case, ASCII, without a final dot."""
    text = text.strip()
    star, name = ("*.", text[2:]) if text.startswith("*.") else ("", text)
    try:
        url = canonicalise(f"http://{name}/", ANYWHERE)
    except UrlRefused as refusal:
        raise _no_host() from refusal
    if url.target != "/" or url.port != 80 or "*" in name or (star and "." not in url.host):
        raise _no_host()
    return f"{star}{url.authority}"


def _no_host() -> InvalidInput:
    return InvalidInput(
        "Give a host as www.example.org, or *.example.org for a domain and all below it; no port, no path.",
        field="pattern",
    )


def _note(director: Person, pattern: str, *, former: str, value: str) -> None:
    HostChange.objects.create(
        subject=pattern, field=HostField.OPT_OUT, former=former, value=value, changed_by=director
    )
