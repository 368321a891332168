"""What a claim would find: glances, cheap enough for everybody who asks in vain."""

from __future__ import annotations

import uuid

from django.db import connection

from ronda.database.named_sql import named_sql
from ronda.frontier.blocks import Glance


def glance(node: uuid.UUID) -> Glance:
    """What a claim of the node could find now, before anything is locked: most who ask would ask in vain."""
    with connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.frontier", "glance"), {"node": node})
        is_free, due = cursor.fetchone()
    return Glance(is_free, None if due is None else max(0.0, float(due)))


def next_due_seconds() -> float | None:
    """In how many seconds another host is free, beside those that are now."""
    with connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.frontier", "next_due"))
        found = cursor.fetchone()
    return max(0.0, float(found[0])) if found else None


def has_free_work(node: uuid.UUID) -> bool:
    """Whether a claim of the node could find something now: a glance, for those who would ask in vain."""
    with connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.frontier", "has_free_work"), {"node": node})
        return bool(cursor.fetchone()[0])


def has_stragglers(*, seconds: float) -> bool:
    """Whether a claim of copies could find something now."""
    with connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.frontier", "has_stragglers"), {"seconds": seconds})
        return bool(cursor.fetchone()[0])


def free_now(*, within_seconds: float, most_hosts: int, few_hosts: int) -> tuple[int, int]:
    """How many hosts are free, or so soon, counted only as far as told; if they are few, how many of their URLs are."""
    arguments = {"within_seconds": within_seconds, "most_hosts": most_hosts, "few_hosts": few_hosts}
    with connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.frontier", "free_now"), arguments)
        hosts, urls = cursor.fetchone()
    return int(hosts), int(urls)
