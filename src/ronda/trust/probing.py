"""Probes: known pages mixed into a node's work, and what its answers to them prove."""

from __future__ import annotations

import random
import uuid
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from django.db import connection
from django.db.models import Q
from django.utils import timezone

from ronda.frontier.blocks import LeasedHost, LeasedRequest
from ronda.grid.answer_records import Answer
from ronda.grid.listening import Brought
from ronda.grid.models import Node
from ronda.grid.upload_reader import ReadRecord
from ronda.trust import canary_pages, rules
from ronda.trust.canaries import working_canaries
from ronda.trust.canary_pages import ROBOTS_PATH, CanaryPage
from ronda.trust.canary_site import canary_key, hour_of
from ronda.trust.known_pages import are_enough_people, known_page_of
from ronda.trust.models import Probe
from ronda.trust.rules import ProbeResult, Score

# What says nothing about who answers: the way there was blocked or broken.
PASSING_STATUSES = frozenset({408, 425, 429})
# How many probes are pages of others, where one is known; and where robots.txt files are asked for, one of those.
KNOWN_SHARE = 0.3
ROBOTS_SHARE = 0.3
# Not a secret matter who gets which probe, but nobody should foresee it.
_chance = random.SystemRandom()


def is_possible(node: Node) -> bool:
    """Whether anything is known that could be asked for."""
    return bool(working_canaries()) or are_enough_people(not_by=node.owner_id)


def probes_for(node: Node, block: uuid.UUID, hosts: list[LeasedHost], score: Score) -> list[LeasedHost]:
    """As many as the score calls for, as hosts and requests like any others."""
    number = _number(sum(len(host.requests) for host in hosts), score)
    if not number:
        return []
    canaries = working_canaries()
    are_pages_known = are_enough_people(not_by=node.owner_id)
    probes: list[Probe] = []
    mixed: dict[str, LeasedHost] = {}
    for key in _ids("frontier_request", number):
        is_known_page = are_pages_known and _chance.random() < KNOWN_SHARE
        if is_known_page and (probe := _known_probe(node, block, key, hosts)):
            probes.append(probe)
        elif canaries:
            probes.append(_canary_probe(node, block, key, hosts, mixed, _chance.choice(canaries)))
    Probe.objects.bulk_create(probes)
    return list(mixed.values())


def _number(urls: int, score: Score) -> int:
    rate = rules.probe_rate(score)
    drawn = sum(_chance.random() < rate for _ in range(urls))
    return max(1, drawn) if rules.needs_a_probe(score) else drawn


def _known_probe(node: Node, block: uuid.UUID, key: int, hosts: list[LeasedHost]) -> Probe | None:
    """Of a host that the node holds anyway: its gate is passed, and its delay kept."""
    held = [host for host in hosts if not host.is_robots]
    if not held:
        return None
    host = _chance.choice(held)
    page = known_page_of(host, not_by=node.owner_id, chance=_chance)
    if page is None:
        return None
    host.requests.insert(_chance.randint(0, len(host.requests)), LeasedRequest(key, page.url, 0))
    return Probe(id=key, node=node, block=block, url=page.url, digest=page.digest)


def _canary_probe(
    node: Node, block: uuid.UUID, key: int, hosts: list[LeasedHost], mixed: dict[str, LeasedHost], canary: str
) -> Probe:
    name = urlsplit(canary).netloc
    delay = _chance.choice(hosts).delay_seconds
    is_robots = any(host.is_robots for host in hosts) and _chance.random() < ROBOTS_SHARE
    if is_robots and name not in mixed:
        # A host whose robots.txt is not known gives that and nothing else.
        [number] = _ids("frontier_host", 1)
        request = LeasedRequest(None, f"{canary}{ROBOTS_PATH}", 0)
        mixed[name] = LeasedHost(0, number, name, True, delay, [request])
        return Probe(id=key, node=node, block=block, url=request.url, path=ROBOTS_PATH, robots_number=number)
    path = canary_pages.new_path(_chance)
    host = mixed.setdefault(name, LeasedHost(0, 0, name, False, delay))
    host.requests.append(LeasedRequest(key, f"{canary}{path}", 0))
    return Probe(id=key, node=node, block=block, url=f"{canary}{path}", path=path)


def _ids(table: str, count: int) -> list[int]:
    """Numbers of a table's own: what is mixed in looks like the rest."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)", [table, count]
        )
        return [int(row[0]) for row in cursor.fetchall()]


def judge(brought: Brought) -> list[ProbeResult]:
    """What the answers to the probes of a block prove; each probe counts once, and one that comes later, after all."""
    is_open = Q(result="") | Q(result=ProbeResult.SKIPPED)
    probes = Probe.objects.filter(is_open, block=brought.block, node=brought.node).select_for_update()
    results: list[ProbeResult] = []
    for probe in probes:
        result = _judged(probe, brought)
        if result and result.value != probe.result:
            probe.result = result.value
            results.append(result)
    Probe.objects.bulk_update(probes, ["result"])
    return results


def _judged(probe: Probe, brought: Brought) -> ProbeResult | None:
    """None: it says nothing. What is left out of a host that rests is, too: a page of others tells nobody apart."""
    answer = brought.extra.get(probe.key)
    if answer is None:
        return ProbeResult.SKIPPED if brought.answered and not probe.digest else None
    return _compared(probe, answer) if probe.digest else _result(probe, answer, brought)


def _compared(probe: Probe, answer: Answer) -> ProbeResult | None:
    """None: a page of others that does not answer says nothing about who asks."""
    if (
        answer.failure
        or answer.responses[0].status != 200
        or answer.responses[0].fields.get("warc-truncated")
    ):
        return None
    is_same = answer.responses[0].payload_digest == probe.digest
    return ProbeResult.AGREED if is_same else ProbeResult.DOUBTED


def _result(probe: Probe, answer: Answer, brought: Brought) -> ProbeResult:
    if answer.failure:
        return ProbeResult.UNREACHED
    results = {_result_of(probe.given_at, record, brought) for record in answer.responses}
    return next(
        (bad for bad in (ProbeResult.FAILED, ProbeResult.UNREACHED) if bad in results), ProbeResult.PASSED
    )


def _result_of(given_at: datetime, record: ReadRecord, brought: Brought) -> ProbeResult:
    if record.status >= 500 or record.status in PASSING_STATUSES:
        return ProbeResult.UNREACHED
    body = brought.body_of(record)
    pages = _pages_at(urlsplit(record.url).path, given_at)
    if any((record.status, body) == (page.status, page.body) for page in pages):
        return ProbeResult.PASSED
    is_cut = bool(record.fields.get("warc-truncated"))
    if is_cut and any(record.status == page.status and page.body.startswith(body) for page in pages):
        return ProbeResult.UNREACHED
    return ProbeResult.FAILED


def _pages_at(path: str, given_at: datetime) -> list[CanaryPage]:
    """What may have stood there since the node was sent."""
    if path != ROBOTS_PATH:
        return [canary_pages.page_at(canary_key(), path)]
    hours = range(hour_of(given_at), hour_of(timezone.now()) + 1)
    return [canary_pages.robots_in(canary_key(), hour) for hour in hours]


def forget_old_probes(older_than: timedelta) -> None:
    Probe.objects.filter(given_at__lt=timezone.now() - older_than).delete()
