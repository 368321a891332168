"""`ronda up --demo`: its node is sent to the canary like anywhere else, and comes back with what stands there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.running import RunningRonda, free_port, wait_for


@pytest.fixture
def ronda(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningRonda]:
    running = RunningRonda(
        tmp_path_factory.mktemp("probed") / "home",
        arguments=["--demo", "--nodes", "1", "--workers", "0"],
        environment={"RONDA_DEMO_PORT": str(free_port())},
    )
    running.start()
    yield running
    running.stop()


def test_honest_node_passes_probes(ronda: RunningRonda) -> None:
    def canary_works() -> bool:
        return any(canary["worked_at"] for canary in ronda.call("GET", "/trust")[1]["canaries"])

    wait_for(canary_works, "a working canary")
    port = ronda.environment["RONDA_DEMO_PORT"]
    urls = [f"http://127.77.{kind}.{number}:{port}/" for kind in (1, 2, 3) for number in (1, 2, 3)]
    status, made = ronda.call("POST", "/fetches", {"urls": urls})
    assert status == 202

    def is_done() -> bool:
        return bool(ronda.call("GET", f"/fetches/{made['id']}")[1]["is_done"])

    wait_for(is_done, "the fetch")

    def trust() -> dict[str, Any] | None:
        [node] = ronda.call("GET", "/nodes")[1]["items"]
        return node["trust"]  # type: ignore[no-any-return]

    found = wait_for(trust, "a score")
    assert found["passed"] >= 1
    assert found["failed"] == 0
    assert ronda.call("GET", "/trust")[1]["checks_waiting"] == 0, "alone, nothing waits"
