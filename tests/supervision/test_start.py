"""Starting: what is wrong is said clearly, with exit code 2, and nothing is changed."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from ronda.database.embedded import EmbeddedPostgres
from tests.running import RunningRonda, free_port, run_ronda

MakeRonda = Callable[..., RunningRonda]


def test_unknown_variable(tmp_path: Path) -> None:
    done = run_ronda("up", home=tmp_path / "home", RONDA_PROT="8001")
    assert done.returncode == 2
    assert "RONDA_PROT" in done.stderr
    assert "RONDA_PORT?" in done.stderr
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("RONDA_PORT", "eighty"),
        ("RONDA_PORT", "70000"),
        ("RONDA_DATABASE_URL", "mysql://here"),
        ("RONDA_LOG_FORMAT", "xml"),
        ("RONDA_SECRET_KEY", "short"),
        ("RONDA_WORKERS", "-1"),
    ],
)
def test_malformed_variable(tmp_path: Path, name: str, value: str) -> None:
    done = run_ronda("up", home=tmp_path / "home", **{name: value})
    assert done.returncode == 2
    assert name in done.stderr
    assert not (tmp_path / "home").exists()


def test_unreachable_database(tmp_path: Path) -> None:
    url = f"postgresql://nobody@127.0.0.1:{free_port()}/nothing"
    done = run_ronda("up", home=tmp_path / "home", RONDA_DATABASE_URL=url, RONDA_PORT=str(free_port()))
    assert done.returncode == 2
    assert "does not answer" in done.stderr
    assert "RONDA_DATABASE_URL" in done.stderr


def test_busy_port(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = run_ronda("up", home=tmp_path / "home", RONDA_PORT=port)
    assert done.returncode == 2
    assert port in done.stderr
    assert "--port" in done.stderr
    assert not (tmp_path / "home" / "postgres").exists()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("RONDA_DATABASE_URL", "postgresql://x@y/%zz"),
        ("RONDA_DATABASE_URL", "postgresql://x@y/z?foo=bar"),
        ("RONDA_SMTP_URL", "smtp://127.0.0.1:abc"),
        ("RONDA_PUBLIC_URL", "https://"),
        ("RONDA_PORT", "9" * 5000),
        ("RONDA_HOST", "."),
    ],
)
def test_addresses_that_are_none(tmp_path: Path, name: str, value: str) -> None:
    done = run_ronda("up", home=tmp_path / "home", **{"RONDA_PORT": str(free_port()), name: value})
    assert done.returncode == 2, done.stderr[-500:]
    assert name in done.stderr
    assert "Traceback" not in done.stderr


def test_nobody_reading_the_log_stops_nothing(ronda_in: MakeRonda) -> None:
    ronda = ronda_in()
    reading, writing = os.pipe()
    ronda.start(wait=False, stderr=writing)
    os.close(writing)
    ronda.wait_until_whole()
    for _ in range(300):
        ronda.call("GET", "/" + "x" * 300)
    worker = ronda.tree()["worker-1"]
    worker.kill()
    ronda.wait_for_another("worker-1", than=worker)
    ronda.wait_until_whole()
    os.close(reading)


def test_proxied_server_on_an_address_of_its_own(ronda_in: MakeRonda) -> None:
    """It answers itself and its node by that address, and the proxy by the public name."""
    ronda = ronda_in("with, comma", RONDA_HOST="127.0.0.5", RONDA_PUBLIC_URL="https://ronda.example")
    ronda.host = "127.0.0.5"
    ronda.start()
    assert ronda.call("GET", "/nodes")[1]["total"] == 1


@pytest.mark.parametrize(
    "arguments", [["up", "--role", "king"], ["up", "--log-format", "xml"], ["up", "--port", "0"]]
)
def test_wrong_flags(tmp_path: Path, arguments: list[str]) -> None:
    assert run_ronda(*arguments, home=tmp_path / "home").returncode == 2


def test_second_start_on_one_home_is_refused(ronda_in: MakeRonda) -> None:
    ronda = ronda_in()
    ronda.start()
    done = run_ronda("up", home=ronda.home, RONDA_PORT=str(free_port()))
    assert done.returncode == 2
    assert "Another `ronda up`" in done.stderr
    assert ronda.health()["status"] == "ok"


def test_long_home_and_stale_pid_file(ronda_in: MakeRonda) -> None:
    """A socket path has 107 bytes; a pid in postmaster.pid may belong to anybody after a reboot."""
    ronda = ronda_in("ñ" * 80)
    embedded = EmbeddedPostgres(ronda.home)
    assert not embedded.socket_folder.is_relative_to(ronda.home)
    ronda.start()
    ronda.stop()
    # Our own process stands for the stranger that got the number after the reboot.
    pid_file = ronda.home / "postgres" / "data" / "postmaster.pid"
    pid_file.write_text(
        f"{os.getpid()}\n{ronda.home}/postgres/data\n1700000000\n5432\n/nowhere\n\n  1 1\nready\n"
    )
    os.chown(pid_file, (ronda.home / "postgres" / "data").stat().st_uid, -1)
    ronda.start()
    assert (embedded.socket_folder.stat().st_mode & 0o777) == 0o700
    with psycopg.connect(embedded.url) as connection:
        assert connection.execute("SHOW fsync").fetchone() == ("on",)
        assert connection.execute("SELECT usesuper FROM pg_user WHERE usename = current_user").fetchone() == (
            False,
        )


def test_first_start_prints_a_login_link_and_keeps_a_private_token(ronda_in: MakeRonda) -> None:
    ronda = ronda_in()
    ronda.start()
    assert f"{ronda.url}/login/once/" in ronda.log
    assert (ronda.home / "token").stat().st_mode & 0o777 == 0o600
    status, me = ronda.call("GET", "/me")
    assert (status, me["roles"]) == (200, ["administrator"])


def test_one_duty_machine(ronda_in: MakeRonda, fresh_database: str) -> None:
    """`--role worker` runs jobs for a server elsewhere."""
    server = ronda_in("server", RONDA_DATABASE_URL=fresh_database, RONDA_WORKERS="0")
    server.start()
    job = server.start_drill(steps=2, pause_seconds=0.01)
    worker = ronda_in("worker", "--role", "worker", "--workers", "1", RONDA_DATABASE_URL=fresh_database)
    worker.start(wait=False)
    assert server.wait_for_job(job, "succeeded")["worker"].startswith("worker-1@")
    assert set(worker.tree()) == {"up", "worker-1"}


def test_json_logs(ronda_in: MakeRonda) -> None:
    import json

    ronda = ronda_in("home", "--log-format", "json")
    ronda.start()
    ronda.call("GET", "/me")
    ronda.stop()
    lines = [json.loads(line) for line in ronda.log.splitlines() if line.startswith("{")]
    assert {"up", "web-1", "leader-1"} <= {line["process"] for line in lines}
    request = next(line for line in lines if line["message"].startswith("GET /api/v1/me"))
    assert len(request["request_id"]) == 16
