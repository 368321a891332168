"""Whatever is killed, the system is whole again by itself or at the next start, and acknowledged work is done."""

from __future__ import annotations

import shutil
import signal
import time
from collections.abc import Callable, Iterator

import pytest

from tests.running import RunningRonda, wait_for

MakeRonda = Callable[..., RunningRonda]


@pytest.fixture(scope="module")
def ronda(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningRonda]:
    """With an embedded PostgreSQL, that is killed too."""
    running = RunningRonda(
        tmp_path_factory.mktemp("survival") / "home", arguments=["--demo", "--workers", "2"]
    )
    running.start()
    yield running
    running.stop()


@pytest.fixture
def report_seconds(record_property: Callable[[str, object], None]) -> Callable[[str, float], None]:
    def report(what: str, seconds: float) -> None:
        record_property(what, round(seconds, 1))

    return report


@pytest.mark.parametrize("name", ["web-1", "worker-1", "worker-2", "leader-1", "node-1", "demo-1"])
def test_killed_child_comes_back_and_the_job_finishes(
    ronda: RunningRonda, name: str, report_seconds: Callable[[str, float], None]
) -> None:
    job = ronda.start_drill(steps=20, pause_seconds=0.05)
    before = ronda.tree()[name]
    before.kill()
    killed = time.monotonic()
    ronda.wait_for_another(name, than=before)
    report_seconds(f"{name} started again", time.monotonic() - killed)
    ronda.wait_until_whole()
    report_seconds(f"whole after the kill of {name}", time.monotonic() - killed)
    ronda.wait_for_job(job, "succeeded")


def test_job_goes_on_from_its_checkpoint_when_its_worker_is_killed(
    ronda: RunningRonda, report_seconds: Callable[[str, float], None]
) -> None:
    job = ronda.start_drill(steps=60, pause_seconds=0.25)
    running = wait_for(lambda: (j := ronda.job(job))["done"] >= 4 and j, "some steps")
    ronda.tree()[running["worker"].split("@")[0]].kill()
    killed = time.monotonic()
    wait_for(lambda: ronda.job(job)["attempt"] == 2, "another worker to take it")
    report_seconds("job taken by another worker", time.monotonic() - killed)
    ended = ronda.wait_for_job(job, "succeeded")
    assert ended["result"] == {"steps": 60, "workers": 2}


def test_hanging_child_is_killed_and_started_again(ronda: RunningRonda) -> None:
    before = ronda.tree()["leader-1"]
    before.send_signal(signal.SIGSTOP)
    ronda.wait_for_another("leader-1", than=before)
    ronda.wait_until_whole()
    assert "gave no sign of life" in ronda.log


def test_hanging_postgres_is_killed_and_started_again(ronda: RunningRonda) -> None:
    before = ronda.tree()["postgres"]
    for process in [before, *before.children(recursive=True)]:
        process.send_signal(signal.SIGSTOP)
    ronda.wait_for_another("postgres", than=before)
    ronda.wait_until_whole()
    assert "PostgreSQL has said nothing" in ronda.log


def test_killed_postmaster_comes_back_and_the_job_finishes(
    ronda: RunningRonda, report_seconds: Callable[[str, float], None]
) -> None:
    job = ronda.start_drill(steps=40, pause_seconds=0.1)
    wait_for(lambda: ronda.job(job)["done"] >= 2, "some steps")
    ronda.tree()["postgres"].kill()
    killed = time.monotonic()
    ended = ronda.wait_for_job(job, "succeeded")
    ronda.wait_until_whole()
    report_seconds("whole after the kill of PostgreSQL", time.monotonic() - killed)
    assert ended["done"] == 40


def test_killed_supervisor_leaves_nothing_behind_and_the_next_start_goes_on(
    ronda: RunningRonda, report_seconds: Callable[[str, float], None]
) -> None:
    job = ronda.start_drill(steps=60, pause_seconds=0.1)
    wait_for(lambda: ronda.job(job)["done"] >= 2, "some steps")
    orphans = [process for name, process in ronda.tree().items() if name != "up"]
    ronda.kill()
    started = time.monotonic()
    ronda.start()
    report_seconds("whole after the next start", time.monotonic() - started)
    assert not any(process.is_running() for process in orphans)
    assert ronda.wait_for_job(job, "succeeded")["done"] == 60


def test_whole_machine_lost_and_started_again(ronda: RunningRonda) -> None:
    job = ronda.start_drill(steps=60, pause_seconds=0.1)
    wait_for(lambda: ronda.job(job)["done"] >= 2, "some steps")
    ronda.kill_tree()
    ronda.start()
    assert ronda.wait_for_job(job, "succeeded")["done"] == 60


def test_child_that_keeps_dying_is_shown_as_failing_with_its_last_words(ronda_in: MakeRonda) -> None:
    ronda = ronda_in()
    ronda.start()
    node = ronda.tree()["node-1"]
    node.suspend()
    shutil.rmtree(ronda.home / "nodes" / "node-1")  # what it needs to start
    (ronda.home / "nodes" / "node-1").touch()
    node.kill()

    def failing() -> dict[str, str] | None:
        _, processes = ronda.call("GET", "/processes")
        found = next(p for p in processes["items"] if p["name"] == "node-1")
        return found if found["state"] == "failing" else None

    assert "nodes/node-1" in wait_for(failing, "node-1 to be shown as failing")["last_words"]
    assert ronda.health()["status"] == "degraded"


def test_restart_asked_for_by_an_administrator_puts_the_job_back(ronda: RunningRonda) -> None:
    job = ronda.start_drill(steps=50, pause_seconds=0.1)
    running = wait_for(lambda: (j := ronda.job(job))["done"] >= 2 and j, "some steps")
    worker = running["worker"].split("@")[0]
    before = ronda.tree()[worker]
    _, processes = ronda.call("GET", "/processes?sort=-reported_at")
    process = next(p for p in processes["items"] if p["name"] == worker)
    assert ronda.call("POST", f"/processes/{process['id']}/restart")[0] == 202
    ronda.wait_for_another(worker, than=before)
    ended = ronda.wait_for_job(job, "succeeded")
    assert ended["result"]["steps"] == 50
    ronda.wait_until_whole()


def test_ctrl_c_ends_everything(ronda_in: MakeRonda) -> None:
    ronda = ronda_in()
    ronda.start()
    assert len(ronda.tree()) > 4
    ronda.stop()  # asserts that no process is left
    assert not (ronda.home / "postgres" / "data" / "postmaster.pid").exists()
