"""What address a host answered from: where that is, and which other hosts stand behind it.

A node's word, so a hint and no more: whoever lies about it makes hosts wait for each other, in a gate that grows with
their number, until an honest node has fetched them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from django.db import connection
from django.db.models import Count, F

from ronda.database.named_sql import named_sql
from ronda.frontier.models import Host, IpGroup
from ronda.frontier.places import canonical_address, continent_of, country_of, is_public


def note_addresses(
    hosts: Mapping[int, Host], addresses: Mapping[int, str], *, are_private_grouped: bool
) -> None:
    """Call with the hosts locked; locks groups, in the order of their ids."""
    # What is noted is canonical already.
    seen = {
        number: text if hosts[number].address == text else canonical_address(text)
        for number, text in addresses.items()
    }
    moved = [
        hosts[number] for number, address in seen.items() if address and hosts[number].address != address
    ]
    for host in moved:
        host.address = seen[host.pk]
        host.country = country_of(host.address)
        host.continent = continent_of(host.country)
    _write_down(moved)
    _regroup([hosts[number] for number in seen], moved, are_private_grouped)


def _write_down(moved: Collection[Host]) -> None:
    """By hand: of a block of new hosts, Django's own bulk update takes more time than all the rest."""
    if not moved:
        return
    arguments: dict[str, Any] = {
        "ids": [host.pk for host in moved],
        "addresses": [host.address for host in moved],
        "countries": [host.country for host in moved],
        "continents": [host.continent for host in moved],
    }
    with connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.frontier", "note_addresses"), arguments)


def _regroup(hosts: Collection[Host], moved: Collection[Host], are_private_grouped: bool) -> None:
    """Hosts join the group of their address: made for the second one; the first joins with its next answer."""
    moved_ids = {host.pk for host in moved}
    ungrouped = [
        host
        for host in hosts
        if host.address
        and (host.ip_group_id is None or host.pk in moved_ids)
        and (are_private_grouped or is_public(host.address))
    ]
    leaving = [host for host in moved if host.ip_group_id is not None]
    if not ungrouped and not leaving:
        return
    _make_groups({host.address for host in ungrouped if host.pk in moved_ids})
    wanted = {host.address for host in ungrouped}
    concerned = {host.ip_group_id for host in leaving if host.ip_group_id is not None}
    groups = list(
        (IpGroup.objects.filter(address__in=wanted) | IpGroup.objects.filter(pk__in=concerned))
        .order_by("pk")
        .select_for_update()
    )
    by_address = {group.address: group for group in groups}
    changes = dict.fromkeys((group.pk for group in groups), 0)
    changed = []
    for host in {host.pk: host for host in [*leaving, *ungrouped]}.values():
        former, group = host.ip_group_id, by_address.get(host.address)
        if group is None and former is None:
            continue
        host.ip_group = group
        changed.append(host)
        if former is not None:
            changes[former] -= 1
        if group is not None:
            changes[group.pk] += 1
    Host.objects.bulk_update(changed, ["ip_group"])
    for number, change in changes.items():
        if change:
            IpGroup.objects.filter(pk=number).update(size=F("size") + change)


def _make_groups(addresses: set[str]) -> None:
    """In the order of addresses, so that two who make the same ones do not block each other."""
    known = set(IpGroup.objects.filter(address__in=addresses).values_list("address", flat=True))
    shared = (
        Host.objects.filter(address__in=addresses - known)
        .values("address")
        .annotate(number=Count("pk"))
        .filter(number__gt=1)
        .order_by("address")
        .values_list("address", flat=True)
    )
    fresh = list(shared)
    if fresh:
        # A claim that makes groups, too, passes over those somebody else is making: it waits for nobody.
        with connection.cursor() as cursor:
            for address in fresh:
                cursor.execute(
                    "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"address {address}"]
                )
    IpGroup.objects.bulk_create([IpGroup(address=address) for address in fresh], ignore_conflicts=True)
