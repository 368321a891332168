"""Behind a proxy that refuses, breaks and truncates, and with workers killed at random: the same history, each once."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tests.running import RunningRonda, wait_for
from tests.wiki.conftest import TITLE
from tests.wiki.hostile_proxy import TRICKS, HostileProxy
from tests.wiki.reading_a_lake import revisions_in
from tests.wiki.real_mediawiki import RealMediaWiki, revisions_of_dump


@pytest.fixture
def proxy(real_wiki: RealMediaWiki) -> Any:
    made = HostileProxy(real_wiki.port, share=0.2)
    made.start()
    yield made
    made.stop()


def test_kills_and_a_hostile_network_lose_and_double_nothing(
    ronda_in: Callable[..., RunningRonda], real_wiki: RealMediaWiki, proxy: HostileProxy
) -> None:
    ronda = ronda_in(
        RONDA_CONTACT="ops@example.org",
        RONDA_ALLOW_PRIVATE_NETWORKS="yes",
        RONDA_WORKERS="1",
        RONDA_NODES="0",
    )
    ronda.start()
    for name, value in {"wiki_delay_seconds": 0, "first_backoff_seconds": 1}.items():
        assert ronda.call("PUT", f"/settings/{name}", {"value": value})[0] == 200
    api = f"http://127.0.0.1:{proxy.port}/api.php"
    status, told = ronda.call("GET", f"/extract?title={TITLE.replace(' ', '_')}&api={api}")
    assert status == 202, told
    job = told["Location"].rpartition("/")[2].partition("?")[0]

    chance = random.Random(4)
    for victim in ("worker-1", "postgres", "worker-1"):
        done = _job(ronda, job)["done"]
        wait_for(partial(_goes_on, ronda, job, done), "the job to go on", 180)
        time.sleep(chance.uniform(0, 1))
        ronda.tree()[victim].kill()
    wait_for(lambda: _job(ronda, job)["state"] not in ("queued", "running"), "the end of the job", 300)
    ended = _job(ronda, job)
    assert ended["state"] == "succeeded", ended
    assert ended["attempt"] > 1
    assert all(proxy.played[trick] for trick in TRICKS), proxy.played
    assert ended["result"]["state"] == "proved"
    assert revisions_in(ronda, TITLE) == revisions_of_dump(real_wiki.dump(), TITLE)


def _job(ronda: RunningRonda, job: str) -> dict[str, Any]:
    """However often it takes: PostgreSQL may just be coming back."""

    def asked() -> dict[str, Any] | None:
        status, told = ronda.call("GET", f"/jobs/{job}")
        return told if status == 200 else None

    return wait_for(asked, "the job's state")


def _goes_on(ronda: RunningRonda, job: str, done: int) -> bool:
    told = _job(ronda, job)
    return told["state"] not in ("queued", "running") or told["done"] > done
