"""How much a node is given: about ten seconds of work at the rate the server measured, and less near the end."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from django.db.models import F
from django.utils import timezone

from ronda.frontier import glances
from ronda.frontier.blocks import BlockSize
from ronda.grid.models import Node
from ronda.grid.policies import BLOCK_URLS, guard_seconds
from ronda.policies.queries import value_of

BUSY_SECONDS = 10.0
# Of one host rather one URL than several while there are enough hosts: all of a block are held until it is uploaded.
HOSTS_PER_SLOT = 16
# What a node is given whose rate is not known.
FIRST_URLS_PER_SLOT = 8
# A block that takes three times as long as planned is with a straggler.
STRAGGLER_FACTOR = 3
# Held hosts are free again, if their holder is lost, only long after this; those that rest, before.
SOON_SECONDS = 5.0
WEIGHT_OF_NEW = 0.3
SHORTEST_SECONDS = 0.05
# A block takes no less than this, if there is so much: the server needs some hundredths of a second for each.
LEAST_SECONDS = 0.25


def block_size(node: Node, slots: int, lease_seconds: float, most_urls: int | None = None) -> BlockSize:
    most = int(value_of(BLOCK_URLS))
    urls = _urls(node.rate_urls_per_second, slots, most if most_urls is None else min(most, most_urls))
    busy_seconds = min(BUSY_SECONDS, lease_seconds / 2)
    return BlockSize(
        hosts=min(urls, slots * HOSTS_PER_SLOT),
        urls=urls,
        lease_seconds=lease_seconds,
        guard_seconds=guard_seconds(),
        busy_seconds=busy_seconds,
        straggler_seconds=STRAGGLER_FACTOR * busy_seconds,
    )


def fair_share(size: BlockSize, *, slots: int, nodes: int, least_urls: int = 0) -> BlockSize:
    """Of the hosts nobody holds, an equal share: so all nodes come to the end at about the same time.

    Where there are fewer hosts than nodes have places for, URLs are shared out, half of what there is at a time; but no
    fewer than are worth a block.
    """
    if nodes < 2:
        return size
    free, urls = glances.free_now(within_seconds=SOON_SECONDS, most_hosts=nodes * size.hosts, few_hosts=slots)
    if free < slots:
        size = replace(size, urls=min(size.urls, max(slots, least_urls, urls // (2 * nodes))))
    return replace(size, hosts=min(size.hosts, max(slots, free // nodes)))


def _urls(rate: float | None, slots: int, most: int) -> int:
    """At least one for each slot, so that a node that was slow for want of work can show that it is not."""
    wanted = slots * FIRST_URLS_PER_SLOT if rate is None else round(rate * BUSY_SECONDS)
    return min(most, max(slots, wanted))


def worth_a_block(rate: float | None) -> int:
    """Giving out a block and taking it in is work, too, whatever it brings."""
    return round((rate or 0.0) * LEAST_SECONDS)


def note_work(*, node: Node, given_at: datetime, urls: int, ended: int) -> None:
    """What it did, and its rate: a moving average. Blocks overlap, so time counts from the answer before, and not while
    it had nothing to do."""
    if not urls:
        return
    now = timezone.now()
    began = max(given_at, node.answered_at) if node.answered_at else given_at
    rate = urls / max(SHORTEST_SECONDS, (now - began).total_seconds())
    former = node.rate_urls_per_second
    moved = rate if former is None else (1 - WEIGHT_OF_NEW) * former + WEIGHT_OF_NEW * rate
    Node.objects.filter(pk=node.pk).update(
        rate_urls_per_second=moved, answered_at=now, answered=F("answered") + ended
    )
