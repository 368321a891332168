"""People whose nodes come over the API as real ones do, and say what a test wants them to say."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from django.test import Client
from django.utils import timezone

from ronda.accounts import services as accounts
from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.frontier.models import Host, Request, RobotsState
from ronda.grid.models import Node
from ronda.trust import canary_pages
from ronda.trust.canary_site import canary_key, hour_of
from tests.grid.warc_bodies import pair, response
from tests.people import person_with

CANARY = "http://canary.example"
Says = Callable[[str], bytes]


def the_truth(url: str) -> bytes:
    return response(200, f"<title>{url}</title><p>What stands at {url}.</p>".encode())


def a_lie(url: str) -> bytes:
    return response(200, b"<title>Buy this</title><p>Nothing of what you asked for.</p>")


def _page_at(path: str) -> canary_pages.CanaryPage:
    if path == canary_pages.ROBOTS_PATH:
        return canary_pages.robots_in(canary_key(), hour_of(timezone.now()))
    return canary_pages.page_at(canary_key(), path)


def make_everything_due() -> None:
    past, later = timezone.now() - timedelta(seconds=1), timezone.now() + timedelta(days=1)
    Host.objects.update(
        robots_state=RobotsState.ABSENT, robots_expires_at=later, ready_at=past, backoff_until=None
    )
    Request.objects.update(not_before=past)


@dataclass
class Contributor:
    """`says` is what it tells about pages; of the canary it knows the truth only if `visits_canary`. `says_of_robots`:
    what it tells about robots.txt, wherever that is. `leaves_out_canary`: it knows the canary, and brings all else."""

    name: str
    says: Says = the_truth
    visits_canary: bool = True
    says_of_robots: Says | None = None
    leaves_out_canary: bool = False
    country: str = "CL"
    person: Person = field(init=False)
    node: Node = field(init=False)

    def __post_init__(self) -> None:
        self._browser = Client()
        self.person = person_with(Role.CONTRIBUTOR, email=f"{self.name}@example.org")
        _token, self._secret = accounts.create_token(actor=self.person, name="node")
        self.node = self.register(self.name)

    def register(self, name: str) -> Node:
        status, answer = self.call("POST", "/grid/register", {"name": name, "version": "1"})
        assert status == 200, answer
        Node.objects.filter(pk=answer["node_id"]).update(country=self.country)
        return Node.objects.get(pk=answer["node_id"])

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        is_raw = isinstance(body, bytes)
        reply = self._browser.generic(
            method,
            f"/api/v1{path}",
            body if is_raw else json.dumps(body),
            content_type="application/warc" if is_raw else "application/json",
            headers={"Authorization": f"Bearer {self._secret}"},
        )
        return reply.status_code, reply.json()

    def lease(self, slots: int = 64) -> dict[str, Any]:
        """Whatever waits, as if its time had come."""
        make_everything_due()
        return self.ask(slots)

    def ask(self, slots: int) -> dict[str, Any]:
        status, work = self.call("POST", "/grid/lease", {"node_id": str(self.node.pk), "slots": slots})
        assert status == 200, work
        return dict(work)

    def bring(self, work: dict[str, Any]) -> tuple[int, Any]:
        body = b"".join(
            self._answer(request["url"], request["id"])
            for host in work["hosts"]
            for request in host["requests"]
            if not (self.leaves_out_canary and request["url"].startswith(CANARY))
        )
        return self.call("PUT", f"/grid/blocks/{work['block']}?node_id={self.node.pk}", body)

    def work(self) -> tuple[int, Any]:
        """One block, asked for and answered."""
        return self.bring(self.lease())

    def _answer(self, url: str, request_id: str) -> bytes:
        if self.says_of_robots and url.endswith(canary_pages.ROBOTS_PATH):
            return pair(url, request_id, self.says_of_robots(url))
        if not (url.startswith(CANARY) and self.visits_canary):
            return pair(url, request_id, self.says(url))
        page = _page_at(urlsplit(url).path)
        answer = response(page.status, page.body, page.mime, page.location)
        if not page.location:
            return pair(url, request_id, answer)
        return pair(url, request_id, answer) + self._answer(f"{CANARY}{page.location}", request_id)
