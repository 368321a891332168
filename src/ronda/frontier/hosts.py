"""What a director does to a host: its pace, its rest, its robots.txt. Who did what when stays on record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import transaction

from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.errors import InvalidInput
from ronda.frontier.errors import NoSuchHost
from ronda.frontier.models import Host, HostChange, HostField

LONGEST_DELAY_SECONDS = 86_400
MOST_NODES = 100


@dataclass(frozen=True)
class HostChoices:
    """What a director may choose for one host. No delay: what the settings, robots.txt and its latency ask for."""

    delay_seconds: float | None
    max_nodes: int
    is_delay_per_node: bool


def choices_of(host: Host) -> HostChoices:
    return HostChoices(host.delay_seconds, host.max_nodes, host.is_delay_per_node)


def change_host(*, actor: Person | None, name: str, choices: HostChoices, note: str = "") -> Host:
    """Set how a host is fetched; what stays as it was is not put on record."""
    director = require(actor, Role.DIRECTOR)
    _check(choices, note)
    with transaction.atomic():
        host = _locked(name)
        _set(host, HostField.DELAY, choices.delay_seconds, director, note)
        _set(host, HostField.MAX_NODES, choices.max_nodes, director, note)
        _set(host, HostField.DELAY_PER_NODE, choices.is_delay_per_node, director, note)
    return host


def _check(choices: HostChoices, note: str) -> None:
    delay = choices.delay_seconds
    if delay is not None and not 0 <= delay <= LONGEST_DELAY_SECONDS:
        raise InvalidInput("A delay is from 0 to 86400 seconds.", field="delay_seconds")
    if not 1 <= choices.max_nodes <= MOST_NODES:
        raise InvalidInput("A host is fetched by 1 to 100 nodes at a time.", field="max_nodes")
    if len(note) > 200 or "\0" in note:
        raise InvalidInput("A reason has at most 200 characters.", field="note")


def end_backoff(*, actor: Person | None, name: str) -> Host:
    """The host rests no longer; its next refusal counts as the first again, and what was learned from them is gone."""
    director = require(actor, Role.DIRECTOR)
    with transaction.atomic():
        host = _locked(name)
        _set(host, HostField.BACKOFF, None, director)
        Host.objects.filter(pk=host.pk).update(
            backoff_count=0, backoff_at=None, learned_delay_seconds=None, learned_at=None
        )
    return host


def ask_robots_again(*, actor: Person | None, name: str) -> Host:
    """The robots.txt we hold counts as too old: it is asked for before the next URL of this host."""
    director = require(actor, Role.DIRECTOR)
    with transaction.atomic():
        host = _locked(name)
        _set(host, HostField.ROBOTS, None, director)
    return host


def _locked(name: str) -> Host:
    host = Host.objects.select_for_update().defer("robots_text").filter(name=name).first()
    if host is None:
        raise NoSuchHost()
    return host


def _set(host: Host, field: HostField, value: Any, director: Person, note: str = "") -> None:
    former = getattr(host, field.value)
    if value == former:
        return
    setattr(host, field.value, value)
    host.save(update_fields=[field.value])
    HostChange.objects.create(
        subject=host.name,
        field=field,
        former=_text(former),
        value=_text(value),
        note=note.strip(),
        changed_by=director,
    )


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value.isoformat(timespec="seconds") if hasattr(value, "isoformat") else str(value)
