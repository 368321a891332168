"""One leader per database at any moment, and another soon after it is gone."""

from __future__ import annotations

import itertools
import signal
import time
from collections.abc import Callable

import psycopg

from ronda.supervision.leader import LOCK_KEY
from tests.running import RunningRonda, wait_for


def _leaders(url: str) -> list[int]:
    """Who holds the lock, as PostgreSQL itself sees it."""
    with psycopg.connect(url) as connection:
        rows = connection.execute(
            "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted"
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            " AND (classid::bigint << 32) + objid::bigint = %s",
            [LOCK_KEY],
        ).fetchall()
    return [pid for (pid,) in rows]


def _terms(url: str) -> list[tuple[int, object, object, object]]:
    with psycopg.connect(url) as connection:
        return connection.execute(
            "SELECT pid, since, coalesce(ended_at, now()), beat_at FROM supervision_leadership ORDER BY id"
        ).fetchall()


def test_failover_between_two_machines(
    ronda_in: Callable[..., RunningRonda],
    fresh_database: str,
    record_property: Callable[[str, object], None],
) -> None:
    machines = [
        ronda_in(name, RONDA_DATABASE_URL=fresh_database, RONDA_WORKERS="1") for name in ("one", "two")
    ]
    for machine in machines:  # both at once: migrations wait for each other
        machine.start(wait=False)
    for machine in machines:
        machine.wait_until_whole()
    assert len(_leaders(fresh_database)) == 1

    leader_pid = machines[0].health()["leader"]["pid"]
    leading = next(m for m in machines if m.tree()["leader-1"].pid == leader_pid)
    standing_by = next(m for m in machines if m is not leading)
    job = standing_by.start_drill(steps=100, pause_seconds=0.05)

    leading.kill_tree()
    killed = time.monotonic()

    def new_leader() -> int | None:
        assert len(_leaders(fresh_database)) <= 1
        leader = standing_by.health().get("leader")
        return leader["pid"] if leader and leader["pid"] != leader_pid else None

    wait_for(new_leader, "the other machine to lead")
    seconds = time.monotonic() - killed
    record_property("failover_seconds", round(seconds, 1))
    assert standing_by.tree()["leader-1"].pid == new_leader()
    standing_by.wait_for_job(job, "succeeded")
    for earlier, later in itertools.pairwise(_terms(fresh_database)):
        assert earlier[2] <= later[1], "two terms overlap"  # type: ignore[operator]


def test_frozen_leader_loses_the_lock(ronda_in: Callable[..., RunningRonda], fresh_database: str) -> None:
    """Frozen with its supervisor, so nobody restarts it: PostgreSQL itself ends its silent session."""
    machines = [
        ronda_in(name, "--role", "leader", "--role", "web", RONDA_DATABASE_URL=fresh_database)
        for name in "ab"
    ]
    for machine in machines:
        machine.start()
    frozen = next(m for m in machines if m.tree()["leader-1"].pid == m.health()["leader"]["pid"])
    other = next(m for m in machines if m is not frozen)
    tree = frozen.tree()
    for process in tree.values():
        process.send_signal(signal.SIGSTOP)
    try:
        wait_for(
            lambda: (other.health().get("leader") or {}).get("pid") == other.tree()["leader-1"].pid,
            "the other to lead",
        )
        assert len(_leaders(fresh_database)) == 1
    finally:
        for process in tree.values():
            process.send_signal(signal.SIGCONT)
