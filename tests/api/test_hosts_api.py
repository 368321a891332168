"""Hosts, opt-outs and the cancelling of fetches through the API."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from tests.running import RunningRonda, wait_for

HOST = "host-of-the-api-test.example"


@pytest.fixture
def fetch(shared_ronda: RunningRonda) -> str:
    """URLs of a host whose name leads nowhere."""
    status, made = shared_ronda.call("POST", "/fetches", {"urls": [f"http://{HOST}/{n}" for n in range(5)]})
    assert status == 202
    return str(made["id"])


def test_a_host_is_changed_field_by_field(shared_ronda: RunningRonda, fetch: str) -> None:
    status, host = shared_ronda.call("PATCH", f"/hosts/{HOST}", {"delay_seconds": 3, "note": "agreed"})
    assert (status, host["delay_seconds"], host["pace_seconds"], host["max_nodes"]) == (200, 3, 3, 1)
    _, host = shared_ronda.call("PATCH", f"/hosts/{HOST}", {"max_nodes": 2})
    assert (host["delay_seconds"], host["max_nodes"]) == (3, 2)
    _, host = shared_ronda.call("PATCH", f"/hosts/{HOST}", {"delay_seconds": None})
    assert host["delay_seconds"] is None
    _, changes = shared_ronda.call("GET", f"/hosts/{HOST}/changes")
    assert [(c["field"], c["former"], c["value"], c["note"]) for c in reversed(changes["items"])] == [
        ("delay_seconds", "", "3.0", "agreed"),
        ("max_nodes", "1", "2", ""),
        ("delay_seconds", "3.0", "", ""),
    ]
    for wrong in (
        {"delay_seconds": -1},
        {"max_nodes": 0},
        {"max_nodes": None},
        {"is_delay_per_node": "maybe"},
    ):
        assert shared_ronda.call("PATCH", f"/hosts/{HOST}", wrong)[0] == 422
    assert shared_ronda.call("GET", "/hosts/nowhere.example")[0] == 404
    assert shared_ronda.call("DELETE", f"/hosts/{HOST}/backoff")[0] == 200
    assert shared_ronda.call("DELETE", f"/hosts/{HOST}/robots")[0] == 200
    _, found = shared_ronda.call("GET", f"/hosts?search={quote(HOST.upper())}&sort=-queued")
    assert [host["name"] for host in found["items"]] == [HOST]


def test_an_opt_out_ends_what_waits_and_refuses_what_comes(shared_ronda: RunningRonda, fetch: str) -> None:
    status, added = shared_ronda.call("POST", "/opt-outs", {"pattern": f"*.{HOST}", "reason": "by mail"})
    assert status == 201
    try:
        # What a node holds at this moment ends by itself; the leader sees to the rest.
        wait_for(lambda: shared_ronda.call("GET", f"/fetches/{fetch}")[1]["is_done"], "the fetch to end")
        _, made = shared_ronda.call("POST", "/fetches", {"urls": [f"http://sub.{HOST}/", f"http://{HOST}/"]})
        assert (made["total"], made["ended"], made["refused"], made["is_done"]) == (2, 2, 2, True)
        assert shared_ronda.call("POST", "/opt-outs", {"pattern": f"*.{HOST}", "reason": "x"})[0] == 409
        assert shared_ronda.call("POST", "/opt-outs", {"pattern": "a/b", "reason": "x"})[0] == 422
    finally:
        assert shared_ronda.call("DELETE", f"/opt-outs/{added['id']}")[0] == 204
    assert shared_ronda.call("DELETE", f"/opt-outs/{added['id']}")[0] == 404


def test_a_fetch_is_cancelled(shared_ronda: RunningRonda, fetch: str) -> None:
    status, cancelled = shared_ronda.call("DELETE", f"/fetches/{fetch}")
    assert (status, cancelled["is_cancelled"]) == (202, True)
    wait_for(lambda: shared_ronda.call("GET", f"/fetches/{fetch}")[1]["is_done"], "the fetch to end")
    assert shared_ronda.call("DELETE", f"/fetches/{fetch}")[0] == 202, "again is harmless"


def test_the_grid_says_what_limits_it(shared_ronda: RunningRonda) -> None:
    status, now = shared_ronda.call("GET", "/grid/overview")
    assert status == 200
    assert now["limit"] in ("nothing is queued", "no node is present", "nodes", "hosts")
    _, nodes = shared_ronda.call("GET", "/nodes")
    status, steps = shared_ronda.call("GET", f"/nodes/{nodes['items'][0]['id']}/steps?period=day")
    assert (status, len(steps)) == (200, 72)
