"""Starting: what is wrong is said clearly, with exit code 2, and nothing is changed."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener, urlopen

import psycopg
import pytest

from ronda.database.embedded import EmbeddedPostgres
from tests.running import RunningRonda, free_port, run_ronda, wait_for

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
        ("RONDA_DATABASE_URL", "postgresql://x@two..dots/z"),
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


def test_database_user_without_rights(
    tmp_path: Path, postgres: EmbeddedPostgres, fresh_database: str
) -> None:
    """Said in one line, by `ronda up` and by `ronda doctor`."""
    role = f"weak_{os.urandom(4).hex()}"
    owner = postgres._url("postgres", "postgres")
    with psycopg.connect(owner, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {role} LOGIN")
    try:
        given = {
            "RONDA_DATABASE_URL": fresh_database.replace("//ronda@", f"//{role}@"),
            "RONDA_PORT": str(free_port()),
        }
        done = run_ronda("up", home=tmp_path / "home", **given)
        assert done.returncode == 2, done.stderr
        assert "permission denied" in done.stderr
        assert role in done.stderr
        assert "Traceback" not in done.stderr
        doctor = run_ronda("doctor", home=tmp_path / "home", **given)
        assert doctor.returncode == 1
        assert f"{role} may not create tables" in doctor.stdout
    finally:
        with psycopg.connect(owner, autocommit=True) as connection:
            connection.execute(f"DROP ROLE {role}")


def test_first_interrupt_is_quiet_however_early(tmp_path: Path) -> None:
    """Even while Python still loads the commands, which its own switch shows."""
    log = tmp_path / "log"
    with log.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-X", "importtime", "-m", "ronda.cli.main", "up"],
            env={**os.environ, "RONDA_HOME": str(tmp_path / "home"), "RONDA_PORT": str(free_port())},
            stderr=file,
        )
    try:
        wait_for(lambda: "psycopg.errors" in log.read_text(), "the commands to load")
    finally:
        process.send_signal(signal.SIGINT)
        code = process.wait(60)
    # 0 on a machine so busy that it had begun to start by then.
    assert code in (0, 130)
    assert "Traceback" not in log.read_text()


def test_nobody_reading_the_announcement_stops_nothing(ronda_in: MakeRonda, fresh_database: str) -> None:
    ronda = ronda_in("home", "--workers", "0", "--nodes", "0", RONDA_DATABASE_URL=fresh_database)
    reading, writing = os.pipe()
    os.close(reading)
    ronda.start(wait=False, stdout=writing)
    os.close(writing)
    ronda.wait_until_whole()
    process = ronda.process
    ronda.stop()
    assert process
    assert process.returncode == 0
    assert "nobody reads the announcement" in ronda.log


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
    ronda.start(wait=False)
    wait_for(lambda: ronda.log_path.exists() and "Ronda is up." in ronda.log, "the announcement")
    with urlopen(f"{ronda.url}/livez", timeout=5) as response:
        assert response.status == 200, "whoever follows the link finds somebody there"
    ronda.wait_until_whole()
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


def test_forwarded_addresses_are_believed_from_trusted_proxies_only(
    ronda_in: MakeRonda, fresh_database: str
) -> None:
    """Wrong passwords count for the client a trusted proxy names, else for whoever connects."""
    database = {"RONDA_DATABASE_URL": fresh_database}
    only_web = ("--role", "web", "--role", "leader")
    wary = ronda_in("wary", *only_web, **database)
    wary.start()
    _wrong_password(wary, "203.0.113.7")
    wary.stop()
    trusting = ronda_in("trusting", *only_web, RONDA_TRUSTED_PROXIES="127.0.0.1", **database)
    trusting.start()
    _wrong_password(trusting, "198.51.100.9, 203.0.113.7")
    with psycopg.connect(fresh_database) as connection:
        found = connection.execute("SELECT host(ip_address) FROM axes_accessattempt ORDER BY id").fetchall()
    assert found == [("127.0.0.1",), ("203.0.113.7",)]


def _wrong_password(ronda: RunningRonda, forwarded_for: str) -> None:
    jar = CookieJar()
    opener = build_opener(HTTPCookieProcessor(jar))
    opener.open(f"{ronda.url}/login").read()
    token = next(cookie.value for cookie in jar if "csrf" in cookie.name)
    form = {"username": "a@example.org", "password": "wrong", "csrfmiddlewaretoken": token}
    opener.open(
        Request(
            f"{ronda.url}/login", data=urlencode(form).encode(), headers={"X-Forwarded-For": forwarded_for}
        )
    ).read()


def test_node_machine_without_a_database(shared_ronda: RunningRonda, ronda_in: MakeRonda) -> None:
    """An address and a token are all it needs."""
    node = ronda_in("node", "--role", "node", "--nodes", "2", RONDA_URL=shared_ronda.url)
    node.environment["RONDA_TOKEN"] = shared_ronda.call("POST", "/tokens", {"name": "far away"})[1]["token"]
    node.start(wait=False)

    def are_there() -> bool:
        assert node.process
        assert node.process.poll() is None, node.log
        present = [n for n in shared_ronda.call("GET", "/nodes")[1]["items"] if n["is_present"]]
        return any(n["name"].endswith("node-2") for n in present)

    wait_for(are_there, "its second node")
    assert set(node.tree()) == {"up", "node-1", "node-2"}
    node.stop()
    assert not (node.home / "postgres").exists()
    assert not (node.home / "node-token").exists()


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ({}, "RONDA_URL and RONDA_TOKEN"),
        ({"RONDA_URL": "http://127.0.0.1:1"}, "needs RONDA_TOKEN"),
        ({"RONDA_TOKEN": "ronda_x"}, "needs RONDA_URL"),
    ],
)
def test_node_machine_that_knows_too_little(tmp_path: Path, given: dict[str, str], missing: str) -> None:
    done = run_ronda("up", "--role", "node", home=tmp_path / "home", **given)
    assert done.returncode == 2
    assert missing in done.stderr
    assert not (tmp_path / "home").exists()


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
