"""The tokens in the home heal by themselves, while Ronda runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg

from ronda.database.embedded import EmbeddedPostgres
from tests.running import RunningRonda, run_ronda, wait_for

MakeRonda = Callable[..., RunningRonda]


def _works(ronda: RunningRonda, former: str) -> bool:
    return ronda.token != former and ronda.call("GET", "/me")[0] == 200


def _node_owner(ronda: RunningRonda) -> str | None:
    """Who owns the node that was seen last."""
    with psycopg.connect(EmbeddedPostgres(ronda.home).url) as connection:
        row: Any = connection.execute(
            "SELECT person.email FROM grid_node node JOIN accounts_person person ON person.id = node.owner_id"
            " ORDER BY node.registered_at DESC LIMIT 1"
        ).fetchone()
    return row and str(row[0])


def test_revoked_tokens_and_a_closed_administrator(ronda_in: MakeRonda) -> None:
    ronda = ronda_in()
    ronda.start()
    first = ronda.token
    _, tokens = ronda.call("GET", "/tokens")
    assert len(tokens["items"]) == 2
    # The command line's last: it is the one that asks.
    for token in sorted(tokens["items"], key=lambda token: token["name"], reverse=True):
        assert ronda.call("DELETE", f"/tokens/{token['id']}", token=first)[0] == 204
    wait_for(lambda: _works(ronda, first), "a new token in the home")
    assert run_ronda("jobs", home=ronda.home, RONDA_PORT=str(ronda.port)).returncode == 0

    _, second_person = ronda.call(
        "POST", "/people", {"email": "second@example.org", "roles": ["administrator"]}
    )
    _, me = ronda.call("GET", "/me")
    second = ronda.token
    assert ronda.call("PATCH", f"/people/{me['id']}", {"is_active": False})[0] == 200
    wait_for(lambda: _works(ronda, second), "a token of the remaining administrator")
    assert ronda.call("GET", "/me")[1]["id"] == second_person["id"]
    wait_for(lambda: _node_owner(ronda) == "second@example.org", "the node to join again")
    ronda.wait_until_whole()
    assert (ronda.home / "node-token").stat().st_mode & 0o777 == 0o600
