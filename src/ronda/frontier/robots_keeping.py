"""What is written down of a host's robots.txt: its rules, that a node could not get it, or that it stands elsewhere."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable
from datetime import timedelta

from django.db.models import QuerySet
from django.utils import timezone

from ronda.frontier import robots
from ronda.frontier.models import Host, RobotsState

# So long a host waits for those who have not had their say yet; then whoever asks may say it again.
OTHERS_FIRST_SECONDS = 60.0
# So many tries, by as many nodes as are there, and it is believed that the host cannot be reached.
MOST_FAILURES = 3
# After the n-th of them, the host is left alone n times as long.
RETRY_SECONDS = 5.0
FAILED_LIFE_SECONDS = 300
UNCONFIRMED = "not confirmed"
ELSEWHERE_LIFE_SECONDS = 900
# RFC 9309 §2.3.1.2: at least five redirects are followed.
MOST_HOPS = 5
_TRYING = ["robots_tried", "robots_others_until", "robots_failures", "robots_failure"]
_KEPT = [
    "robots_state", "robots_text", "robots_expires_at", "robots_node", "robots_way", "crawl_delay_seconds", *_TRYING,
]  # fmt: skip


def keep_rules(
    host: Host,
    state: RobotsState,
    text: str,
    *,
    node: uuid.UUID | None,
    is_trusted: bool,
    tellers: Iterable[uuid.UUID] = (),
) -> None:
    """`tellers`: whose word it is, if that is no good for long: when it is asked for again, others come first."""
    if state is RobotsState.UNREACHABLE:
        life = robots.UNREACHABLE_LIFE_SECONDS
    else:
        life = robots.LIFE_SECONDS if is_trusted else robots.UNPROVEN_LIFE_SECONDS
    _settle(host, state, life, text)
    host.robots_node = node
    if not is_trusted:
        host.robots_tried = list(tellers)
        host.robots_others_until = timezone.now() + timedelta(seconds=life + OTHERS_FIRST_SECONDS)
    host.save(update_fields=_KEPT)


def unconfirmed(state: RobotsState, text: str) -> str:
    """What is remembered of a word that is not good enough alone: as much as tells whether the next is the same."""
    return f"{UNCONFIRMED}: {hashlib.sha256(f'{state.value} {text}'.encode()).hexdigest()[:12]}"


def ask_for_confirmation(host: Host, state: RobotsState, text: str, *, tellers: Iterable[uuid.UUID]) -> None:
    """What may be fetched is no word for one node alone that nobody knows yet."""
    before = host.robots_tried if host.robots_failure.startswith(UNCONFIRMED) else []
    host.robots_failure, host.robots_tried = unconfirmed(state, text), sorted({*before, *tellers})
    host.robots_others_until = timezone.now() + timedelta(seconds=OTHERS_FIRST_SECONDS)
    host.save(update_fields=_TRYING)


def keep_failure(host: Host, reason: str) -> None:
    """One more node got nothing. It may be the node's own fault: only after several is it the host's."""
    host.robots_failures += 1
    host.robots_failure = reason[:30]
    if host.robots_failures < MOST_FAILURES:
        host.save(update_fields=_TRYING)
    else:
        keep_unreached(host, reason)


def keep_unreached(host: Host, reason: str) -> None:
    """The host cannot be reached: its URLs end with that as the reason."""
    _settle(host, RobotsState.FAILED, FAILED_LIFE_SECONDS)
    host.robots_failure = reason[:30]
    host.save(update_fields=_KEPT)


def keep_way(host: Host, target: str, *, node: uuid.UUID | None) -> None:
    """Its robots.txt stands at `target`; until that is here, nothing of the host is fetched."""
    way = [*host.robots_way, target]
    _settle(host, RobotsState.ELSEWHERE, ELSEWHERE_LIFE_SECONDS)
    host.robots_way, host.robots_node = way, node
    host.save(update_fields=_KEPT)


def _settle(host: Host, state: RobotsState, life_seconds: float, text: str = "") -> None:
    host.robots_state, host.robots_text = state, text
    host.robots_expires_at = timezone.now() + timedelta(seconds=life_seconds)
    host.crawl_delay_seconds = robots.crawl_delay_seconds(text) if text else None
    host.robots_tried, host.robots_others_until = [], None
    host.robots_failures, host.robots_failure, host.robots_way = 0, "", []


def forget_robots_of(*, node: uuid.UUID) -> int:
    """The robots.txt files that a node brought: asked for again before anything else of their hosts."""
    return _forget_robots(Host.objects.filter(robots_node=node))


def forget_robots_at(*, name: str) -> int:
    """The robots.txt of this host was told wrong: it is asked for again, too."""
    return _forget_robots(Host.objects.filter(name=name))


def _forget_robots(hosts: QuerySet[Host]) -> int:
    """Nor does it confirm what the next one says."""
    return hosts.update(
        robots_expires_at=None, robots_node=None, robots_state=RobotsState.UNKNOWN, robots_text=""
    )


def ask_robots_again(*, host: str) -> None:
    """A robots.txt that could not be had is asked for with the next request, and not after its usual time."""
    not_had = (RobotsState.UNREACHABLE, RobotsState.FAILED)
    Host.objects.filter(name=host, robots_state__in=not_had).update(robots_expires_at=None)
