"""The canary site on real sockets: nobody knows its pages without having come, and we notice when it does not work."""

from __future__ import annotations

import asyncio
import random
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
import uvicorn
from django.conf import settings
from django.test import override_settings
from django.utils import timezone

from ronda.accounts.roles import Role
from ronda.grid.services import register_node
from ronda.trust import canaries, canary_pages
from ronda.trust.canary_site import CanarySite, canary_key, hour_of
from ronda.trust.models import Canary, Probe
from tests.people import person_with
from tests.running import free_port, wait_for

KEY = b"k" * 32


def test_pages_are_of_many_kinds_and_follow_from_path_and_key() -> None:
    chance = random.Random(1)
    paths = [canary_pages.new_path(chance) for _ in range(400)]
    pages = {path: canary_pages.page_at(KEY, path) for path in paths}
    assert len(pages) == 400
    assert all(canary_pages.page_at(KEY, path) == page for path, page in pages.items())
    assert all(
        canary_pages.page_at(b"x" * 32, path).body != page.body for path, page in pages.items() if page.body
    )
    kinds = Counter((page.status, page.mime, page.is_compressible) for page in pages.values())
    assert {status for status, _, _ in kinds} == {200, 301, 404}
    assert len(kinds) >= 6
    assert max(len(page.body) for page in pages.values()) > 20 * min(
        len(p.body) for p in pages.values() if p.body
    )
    assert max(len(page.body) for page in pages.values()) < canary_pages.MOST_BYTES
    for page in pages.values():
        assert not page.location or canary_pages.page_at(KEY, page.location).status != 301


@pytest.fixture
def served(transactional_db: None) -> Iterator[str]:
    """A canary, and beside it an application that is not one."""
    url = f"http://127.0.0.1:{free_port()}"

    async def elsewhere(scope: object, receive: object, send: object) -> None:
        raise AssertionError("not for the canary")

    application = CanarySite(elsewhere, (url,), canary_key())
    port = int(url.rpartition(":")[2])
    server = uvicorn.Server(uvicorn.Config(application, port=port, log_config=None, lifespan="off"))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve()))
    thread.start()
    wait_for(lambda: server.started, "the canary")
    try:
        with override_settings(RONDA=replace(settings.RONDA, canary_urls=url)):
            yield url
    finally:
        server.should_exit = True
        thread.join()


def test_canary_works_notes_who_came_and_is_not_used_when_it_does_not(served: str) -> None:
    assert canaries.working_canaries() == []
    canaries.try_canaries()
    assert canaries.working_canaries() == [served]
    node = register_node(actor=person_with(Role.CONTRIBUTOR), name="laptop", version="1", system="")
    path = canary_pages.new_path(random.Random(3))
    probe = Probe.objects.create(id=1, node=node, block=node.pk, url=f"{served}{path}", path=path)
    try:
        urlopen(probe.url).close()
    except HTTPError as error:
        error.close()
    probe.refresh_from_db()
    assert probe.seen_at
    assert probe.seen_from == "127.0.0.1"
    with urlopen(f"{served}/robots.txt") as response:
        told = response.read()
    hour = hour_of(timezone.now())
    assert told in {canary_pages.robots_in(canary_key(), hour + step).body for step in (-1, 0)}
    assert len({canary_pages.robots_in(KEY, hour + step).body for step in range(24)}) == 24
    # Somebody else answers at our address: its pages prove nothing against anybody.
    Canary.objects.update(worked_at=None)
    with override_settings(SECRET_KEY="another key"):
        canaries.try_canaries()
    assert canaries.working_canaries() == []
    assert "Somebody else" in Canary.objects.get().trouble
    with override_settings(RONDA=replace(settings.RONDA, canary_urls=f"http://127.0.0.1:{free_port()}")):
        canaries.try_canaries()
        assert canaries.working_canaries() == []
