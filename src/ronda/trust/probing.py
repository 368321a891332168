"""Probes: known pages mixed into a node's work, and what its answers to them prove."""

from __future__ import annotations

import random
import uuid
from datetime import timedelta
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from django.conf import settings
from django.db import connection
from django.utils import timezone

from ronda.frontier.blocks import LeasedHost, LeasedRequest
from ronda.grid.answer_records import Answer
from ronda.grid.listening import Brought
from ronda.grid.models import Node
from ronda.grid.upload_reader import ReadRecord
from ronda.trust import canary_pages, rules
from ronda.trust.canary_site import canary_key
from ronda.trust.models import Canary, Probe
from ronda.trust.rules import ProbeResult, Score

# A canary counts while we reached it ourselves so lately. It is tried again after a while, or soon if it did not work.
TRY_AGAIN_AFTER = timedelta(minutes=1)
WORKS_FOR = timedelta(minutes=5)
TRY_TIMEOUT_SECONDS = 3
# What says nothing about who answers: the way there was blocked or broken.
PASSING_STATUSES = frozenset({408, 425, 429})
# Not a secret matter who gets which probe, but nobody should foresee it.
_chance = random.SystemRandom()


def working_canaries() -> list[str]:
    if not settings.RONDA.canaries:
        return []
    lately = timezone.now() - WORKS_FOR
    return list(
        Canary.objects.filter(url__in=settings.RONDA.canaries, worked_at__gt=lately).values_list(
            "url", flat=True
        )
    )


def probes_for(node: Node, block: uuid.UUID, hosts: list[LeasedHost], score: Score) -> list[LeasedHost]:
    """As many as the score calls for, as hosts and requests like any others."""
    number = _number(sum(len(host.requests) for host in hosts), score)
    canaries = working_canaries() if number else []
    if not canaries:
        return []
    probes = [_probe(node, block, number, _chance.choice(canaries)) for number in _request_ids(number)]
    Probe.objects.bulk_create(probes)
    mixed: dict[str, LeasedHost] = {}
    for probe in probes:
        name = urlsplit(probe.url).netloc
        delay = _chance.choice(hosts).delay_seconds
        host = mixed.setdefault(name, LeasedHost(0, 0, name, False, delay))
        host.requests.append(LeasedRequest(probe.pk, probe.url, 0))
    return list(mixed.values())


def _number(urls: int, score: Score) -> int:
    rate = rules.probe_rate(score)
    drawn = sum(_chance.random() < rate for _ in range(urls))
    return max(1, drawn) if rules.needs_a_probe(score) else drawn


def _probe(node: Node, block: uuid.UUID, number: int, canary: str) -> Probe:
    path = canary_pages.new_path(_chance)
    return Probe(id=number, node=node, block=block, url=f"{canary}{path}", path=path)


def _request_ids(count: int) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT nextval(pg_get_serial_sequence('frontier_request', 'id')) FROM generate_series(1, %s)",
            [count],
        )
        return [int(row[0]) for row in cursor.fetchall()]


def judge(brought: Brought) -> list[ProbeResult]:
    """What the answers to the probes of a block prove; each probe counts once."""
    probes = Probe.objects.filter(block=brought.block, node=brought.node, result="").select_for_update()
    results: list[ProbeResult] = []
    for probe in probes:
        answer = brought.extra.get(str(probe.pk))
        if answer is None:
            # Left out: as good as not reached, and still open.
            results.append(ProbeResult.UNREACHED)
        else:
            probe.result = _result(answer, brought).value
            results.append(ProbeResult(probe.result))
    Probe.objects.bulk_update(probes, ["result"])
    return results


def _result(answer: Answer, brought: Brought) -> ProbeResult:
    if answer.failure:
        return ProbeResult.UNREACHED
    results = {_result_of(record, brought) for record in answer.responses}
    return next(
        (bad for bad in (ProbeResult.FAILED, ProbeResult.UNREACHED) if bad in results), ProbeResult.PASSED
    )


def _result_of(record: ReadRecord, brought: Brought) -> ProbeResult:
    if record.status >= 500 or record.status in PASSING_STATUSES:
        return ProbeResult.UNREACHED
    expected = canary_pages.page_at(canary_key(), urlsplit(record.url).path)
    if record.status != expected.status:
        return ProbeResult.FAILED
    body = brought.body_of(record)
    if record.fields.get("warc-truncated") and expected.body.startswith(body):
        return ProbeResult.UNREACHED
    return ProbeResult.PASSED if body == expected.body else ProbeResult.FAILED


def try_canaries() -> None:
    """Go there ourselves: what is not reached, or is somebody else's, is no proof against anybody."""
    lately = timezone.now() - TRY_AGAIN_AFTER
    fine = set(Canary.objects.filter(trouble="", worked_at__gt=lately).values_list("url", flat=True))
    for url in (url for url in settings.RONDA.canaries if url not in fine):
        trouble = _trouble_with(url)
        Canary.objects.update_or_create(
            url=url,
            defaults={"trouble": trouble} if trouble else {"trouble": "", "worked_at": timezone.now()},
        )


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *arguments: object) -> None:
        return None


def _trouble_with(url: str) -> str:
    path = canary_pages.new_path(_chance)
    expected = canary_pages.page_at(canary_key(), path)
    try:
        request = Request(f"{url}{path}", headers={"User-Agent": "RondaBot"})  # noqa: S310  (http or https, see configuration)
        with build_opener(_NoRedirects).open(request, timeout=TRY_TIMEOUT_SECONDS) as response:
            status, body = response.status, response.read(canary_pages.MOST_BYTES)
    except HTTPError as error:
        with error:
            status, body = error.code, error.read(canary_pages.MOST_BYTES)
    except (URLError, OSError) as error:
        return f"It is not reached: {error}."[:300]
    return "" if (status, body) == (expected.status, expected.body) else "Somebody else answers there."


def forget_old_probes(older_than: timedelta) -> None:
    Probe.objects.filter(given_at__lt=timezone.now() - older_than).delete()
