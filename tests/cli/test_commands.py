"""Commands as people type them, against a running server."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ronda.cli.app import app
from tests.running import RONDA, RunningRonda, free_port, run_ronda


def _ronda(ronda: RunningRonda, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return run_ronda(*arguments, home=ronda.home, RONDA_PORT=str(ronda.port), **environment)


def test_start_follow_list_and_cancel_a_job(shared_ronda: RunningRonda) -> None:
    done = _ronda(shared_ronda, "start", "drill", "steps=2", "pause_seconds=0.01", "--wait", "--json")
    job = json.loads(done.stdout)
    assert (done.returncode, job["state"]) == (0, "succeeded")
    listed = json.loads(_ronda(shared_ronda, "jobs", "--json", "--limit", "500").stdout)
    assert job["id"] in [item["id"] for item in listed]
    assert job["id"][:8] in _ronda(shared_ronda, "jobs").stdout
    assert "2 of 2 steps" in _ronda(shared_ronda, "job", job["id"]).stdout
    again = _ronda(shared_ronda, "cancel", job["id"])
    assert again.returncode == 1
    assert "ended already" in again.stderr

    running = json.loads(_ronda(shared_ronda, "start", "drill", "steps=1000", "--json").stdout)
    assert _ronda(shared_ronda, "cancel", running["id"]).returncode == 0
    shared_ronda.wait_for_job(running["id"], "cancelled")


def test_a_job_by_the_first_characters_of_its_id(shared_ronda: RunningRonda) -> None:
    """However many newer ones there are."""
    import psycopg

    elder = shared_ronda.start_drill(steps=1, pause_seconds=0)
    shared_ronda.wait_for_job(elder, "succeeded")
    with psycopg.connect(shared_ronda.environment["RONDA_DATABASE_URL"]) as connection:
        connection.execute(
            "INSERT INTO jobs_job (id, kind, arguments, state, done, sentence, error, attempt, losses, worker,"
            " created_at)"
            " SELECT gen_random_uuid(), 'test', '{}', 'succeeded', 0, '', '', 0, 0, '', now()"
            "   FROM generate_series(1, 600)"
        )
    try:
        for start in (elder[:13], elder[:20].upper(), elder):
            assert elder in _ronda(shared_ronda, "job", start).stdout
        several = _ronda(shared_ronda, "job", "-")
        assert (several.returncode, "More than one" in several.stderr) == (1, True)
    finally:
        with psycopg.connect(shared_ronda.environment["RONDA_DATABASE_URL"]) as connection:
            connection.execute("DELETE FROM jobs_job WHERE kind = 'test'")


def test_a_proxy_in_the_environment_is_not_asked_for_this_machine(shared_ronda: RunningRonda) -> None:
    nowhere = f"http://127.0.0.1:{free_port()}"
    done = _ronda(shared_ronda, "jobs", http_proxy=nowhere, HTTP_PROXY=nowhere)
    assert done.returncode == 0, done.stderr
    done = _ronda(shared_ronda, "jobs", http_proxy=nowhere, RONDA_URL=shared_ronda.url)
    assert done.returncode == 0, done.stderr
    elsewhere = _ronda(shared_ronda, "jobs", http_proxy=nowhere, RONDA_URL="http://ronda.invalid")
    assert elsewhere.returncode == 1
    assert "refused" in elsewhere.stderr, "a server elsewhere is asked through the proxy"


def test_tokens(shared_ronda: RunningRonda) -> None:
    secret = _ronda(shared_ronda, "token", "for a script").stdout.strip()
    assert secret.startswith("ronda_")
    tokens = json.loads(_ronda(shared_ronda, "tokens", "--json", RONDA_TOKEN=secret).stdout)
    assert "for a script" in [token["name"] for token in tokens]
    assert secret not in json.dumps(tokens)


def test_errors_are_one_clear_line_and_an_exit_code(shared_ronda: RunningRonda, tmp_path: Path) -> None:
    for arguments, environment, code, words in (
        (["start", "drlil"], {}, 2, "drill"),
        (["start", "drill", "steps=0"], {}, 2, "steps"),
        (["start", "drill", "steps"], {}, 2, "NAME=VALUE"),
        (["jobs"], {"RONDA_TOKEN": "ronda_wrong"}, 2, "token"),
        (["jobs"], {"RONDA_URL": f"http://127.0.0.1:{free_port()}"}, 1, "No Ronda answers"),
        (["job", "zzz"], {}, 1, "zzz"),
        (["job", "[/x]"], {}, 1, "[/x]"),
        (["login-link", "nobody@example.org"], dict(shared_ronda.environment), 1, "nobody@example.org"),
    ):
        done = run_ronda(
            *arguments, home=shared_ronda.home, **{"RONDA_PORT": str(shared_ronda.port), **environment}
        )
        assert done.returncode == code, (arguments, done.stderr)
        assert words in done.stderr
        assert "Traceback" not in done.stderr
    homeless = run_ronda("jobs", home=tmp_path / "nothing")
    assert (homeless.returncode, "No token" in homeless.stderr) == (2, True)
    assert not (tmp_path / "nothing").exists()


def test_doctor(shared_ronda: RunningRonda, tmp_path: Path) -> None:
    done = run_ronda("doctor", "--json", home=shared_ronda.home, **shared_ronda.environment)
    findings = {finding["name"]: finding for finding in json.loads(done.stdout)}
    assert done.returncode == 0, done.stdout
    assert set(findings) == {
        "Python", "Home", "Disk", "PostgreSQL", "Rights", "Clock", "Port", "Java", "Chromium", "Replay", "Lake",
    }  # fmt: skip
    assert findings["PostgreSQL"]["severity"] == "good"
    assert findings["Port"]["severity"] == "note"  # it is Ronda that uses it

    url = f"postgresql://x@127.0.0.1:{free_port()}/x"
    sick = run_ronda("doctor", home=tmp_path / "h", RONDA_DATABASE_URL=url)
    assert sick.returncode == 1
    assert "RONDA_DATABASE_URL" in sick.stdout
    assert "Clock" in sick.stdout


def test_settings_hide_secrets(tmp_path: Path) -> None:
    done = run_ronda("settings", home=tmp_path, RONDA_TOKEN="ronda_secret")
    assert "RONDA_DATABASE_URL" in done.stdout
    assert "ronda_secret" not in done.stdout


def test_every_command_explains_itself(tmp_path: Path) -> None:
    named = [[command.name or ""] for command in app.registered_commands]
    for group in app.registered_groups:
        assert group.typer_instance
        name = str(group.typer_instance.info.name)
        named += [[name], *([name, c.name or ""] for c in group.typer_instance.registered_commands)]
    for words in named:
        assert all(words)
        assert CliRunner().invoke(app, [*words, "--help"]).exit_code == 0, words
    assert run_ronda("--help", home=tmp_path).returncode == 0
    assert run_ronda("--version", home=tmp_path).stdout.startswith("ronda ")
    assert run_ronda("dance", home=tmp_path).returncode == 2


def test_fetch_into_nowhere_is_refused_before_anything_is_fetched(
    shared_ronda: RunningRonda, tmp_path: Path
) -> None:
    before = shared_ronda.call("GET", "/fetches")[1]["total"]
    for nowhere in (tmp_path / "missing" / "x.warc.gz", tmp_path):
        done = _ronda(shared_ronda, "fetch", "http://a.example/", "-o", str(nowhere))
        assert (done.returncode, "cannot be written" in done.stderr) == (2, True), done.stderr
    assert shared_ronda.call("GET", "/fetches")[1]["total"] == before


def test_nothing_is_written_where_nothing_can_be(shared_ronda: RunningRonda, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for command in (
        ["export", "--collection", "scientific"],
        ["export", "--collection", "scientific", "--wacz"],
        ["sources", "export"],
        ["trace"],
        ["wiki", "query", "SELECT 1 AS one"],
    ):
        end = ".csv" if command[0] == "wiki" else ""
        for nowhere in (tmp_path / "missing" / f"x{end}", *([] if end else [folder])):
            done = _ronda(shared_ronda, *command, "-o", str(nowhere))
            assert done.returncode == 2, (command, done.stderr)
            assert "cannot be written" in done.stderr, done.stderr
            assert len(done.stderr.splitlines()) == 1
    assert [one.name for one in tmp_path.iterdir()] == ["folder"]


@pytest.mark.parametrize(
    "command",
    [
        ["search"], ["diff"], ["source", "show"], ["replay"], ["visit"], ["versions"], ["noise"], ["outlook"],
        ["export", "--collection"], ["follow"], ["fetch"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_arguments_that_are_no_text(shared_ronda: RunningRonda, command: list[str]) -> None:
    done = _ronda(shared_ronda, *command, "http://a.example/\udcff")
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_lists_that_are_no_text(shared_ronda: RunningRonda, tmp_path: Path) -> None:
    wrong = tmp_path / "list.csv"
    wrong.write_bytes(b"url\nhttp://a.example/\xff\n")
    environment = {**os.environ, "RONDA_HOME": str(shared_ronda.home), "RONDA_PORT": str(shared_ronda.port)}
    for name in ("-", str(wrong)):
        with wrong.open("rb") as file:
            done = subprocess.run(
                [RONDA, "sources", "import", name],
                stdin=file, env=environment | {"LC_ALL": "C"}, capture_output=True, text=True, check=False,
            )  # fmt: skip
        assert done.returncode == 2, done.stderr
        assert done.stderr.startswith(f"ronda: Cannot read {name}: "), done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_the_one_command_that_is_made_ready_is_a_whole_command(tmp_path: Path) -> None:
    """Others are left out for speed; a group, a wrong word and no word at all still know of all of them."""
    help_of = {word: run_ronda(word, "--help", home=tmp_path).stdout for word in ("ask", "doctor", "wiki")}
    assert "Usage: ronda ask" in help_of["ask"]
    assert "Usage: ronda doctor" in help_of["doctor"]
    assert "extract" in help_of["wiki"]
    assert "Did you mean 'ask'?" in run_ronda("aks", home=tmp_path).stderr
    assert all(word in run_ronda("--help", home=tmp_path).stdout for word in ("ask", "doctor", "wiki", "up"))
