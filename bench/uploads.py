"""Uploads of a node that is not there: real leases, real records, made-up pages; no web and no HTTP in between."""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING

from ronda_node.clock import utc_now
from ronda_node.fetcher import Fetched
from ronda_node.outcomes import Exchange, FetchRequest, Method
from ronda_node.policy import ANYWHERE
from ronda_node.spool import Spool
from ronda_node.urls import canonicalise
from ronda_node.warc_records import write_records

if TYPE_CHECKING:
    from ronda.accounts.models import Person
    from ronda.grid.leasing import Work
    from ronda.grid.models import Node

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\nServer: bench\r\nContent-Length: %d\r\n\r\n"


@dataclass(frozen=True)
class Answer:
    body: bytes
    mime: bytes = b"text/html; charset=utf-8"


Site = Callable[[str], Answer]


@dataclass
class Bringing:
    """How long the server took, and for what."""

    urls: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0


class PaperNode:
    """A contributor's node; it asks for work until there is none."""

    def __init__(self) -> None:
        from ronda.accounts.models import Person, RoleGrant
        from ronda.accounts.roles import Role
        from ronda.grid.services import register_node

        person = Person(email="bench@example.org")
        person.set_unusable_password()
        person.save()
        RoleGrant.objects.bulk_create(
            RoleGrant(person=person, role=role)
            for role in (Role.ADMINISTRATOR, Role.CLIENT, Role.CONTRIBUTOR)
        )
        self.person: Person = Person.objects.get(pk=person.pk)
        self.node: Node = register_node(actor=self.person, name="paper", version="1", system="paper")

    def answer_all(self, site: Site) -> Bringing:
        from ronda.grid.leasing import lease_block

        total = Bringing()
        while True:
            know_all_hosts()
            work = lease_block(actor=self.person, node_id=self.node.pk, slots=256)
            if not work.hosts:
                return total
            self._bring(work, site, total)

    def _bring(self, work: Work, site: Site, total: Bringing) -> None:
        from ronda.grid.answers import take_upload

        with _body_of(work, site) as body:
            began, cpu = time.perf_counter(), time.process_time()
            taken = take_upload(actor=self.person, node_id=self.node.pk, block=work.block, upload=body)
            total.seconds += time.perf_counter() - began
            total.cpu_seconds += time.process_time() - cpu
        total.urls += taken.accepted


def know_all_hosts() -> None:
    """Their robots.txt is known and they wait for nobody: neither is measured here."""
    from django.utils import timezone

    from ronda.frontier.models import Host, RobotsState

    now = timezone.now()
    Host.objects.update(
        robots_state=RobotsState.ABSENT,
        robots_expires_at=now + timedelta(days=1),
        ready_at=now,
    )


@contextmanager
def _body_of(work: Work, site: Site) -> Iterator[IO[bytes]]:
    with TemporaryFile() as file:
        for host in work.hosts:
            for request in host.requests:
                write_records(_fetched(str(request.id), request.url, site(request.url)), file.write)
        file.seek(0)
        yield file


def _fetched(number: str, address: str, answer: Answer) -> Fetched:
    url = canonicalise(address, ANYWHERE)
    body = Spool(1024**2)
    body.append(answer.body)
    agent = "RondaBot/1 (+https://example.org/bot)"
    asked = (
        f"GET {url.target} HTTP/1.1\r\nHost: {url.authority}\r\nUser-Agent: {agent}\r\nAccept: */*\r\n\r\n"
    )
    exchange = Exchange(
        url=url,
        method=Method.GET,
        request_head=asked.encode(),
        response_head=HEAD % (answer.mime, len(answer.body)),
        body=body,
        status=200,
        headers=((b"content-type", answer.mime),),
        peer_address=address_of(url.host),
        started_at=utc_now(),
        first_byte_seconds=0.001,
        total_seconds=0.001,
    )
    return Fetched(FetchRequest(number, address), (exchange,))


def address_of(host: str) -> str:
    """Each host has its own: those of one address would wait for each other."""
    mark = hashlib.blake2b(host.encode(), digest_size=3).digest()
    return f"11.{mark[0]}.{mark[1]}.{mark[2]}"


def vary(seed: str, count: int) -> bytes:
    """So much text as people write it: words of a vocabulary, in an order of its own, so that it packs like text."""
    chance = random.Random(seed)
    words = [f"{chance.choice(_STARTS)}{chance.choice(_ENDS)}" for _ in range(count // 7)]
    lines = [f"<p>{' '.join(words[n : n + 40])}</p>\n" for n in range(0, len(words), 40)]
    return f"<!doctype html><title>{seed}</title>\n{''.join(lines)}".encode()[:count]


_STARTS = [a + b + c for a in "bcdlmnprst" for b in "aeiou" for c in "rlnst"]
_ENDS = ["a", "o", "ar", "ando", "ista", "dor", "mente", "ces", "aba", "ido"]
