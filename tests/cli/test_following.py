"""Following from the command line, against a running server; in this process, as starting another takes longer."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ronda.cli.app import app
from ronda.errors import RondaError, exit_code
from tests.running import RunningRonda

PATIENT = "https://follow.example/"


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


def _ronda(ronda: RunningRonda, *arguments: str) -> Done:
    environment = {"RONDA_HOME": str(ronda.home), "RONDA_PORT": str(ronda.port), "COLUMNS": "200"}
    done = CliRunner().invoke(app, arguments, env=environment)
    if isinstance(done.exception, RondaError):
        return Done(exit_code(done.exception), done.stdout, str(done.exception))
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return Done(done.exit_code, done.stdout, done.stderr)


def _json(ronda: RunningRonda, *arguments: str) -> Any:
    done = _ronda(ronda, *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def ronda(shared_ronda: RunningRonda) -> Iterator[RunningRonda]:
    yield shared_ronda
    for source in shared_ronda.call("GET", "/sources?page_size=500")[1]["items"]:
        shared_ronda.call("DELETE", f"/sources/{source['id']}/visit")
        shared_ronda.call("DELETE", f"/sources/{source['id']}")


def test_follow_look_change_and_end(ronda: RunningRonda) -> None:
    made = _json(
        ronda, "follow", PATIENT, "--collection", "scientific", "--topic", "301", "--scope", "prefix", "--depth", "2",
        "--max-pages", "40", "--every", "1d", "--tag", "a", "--tag", "b", "--notes", "slow",
    )  # fmt: skip
    assert (made["collection"], made["topic"], made["every"], made["tags"]) == (
        "scientific",
        301,
        "1d",
        ["a", "b"],
    )
    assert [s["url"] for s in _json(ronda, "sources", "--collection", "scientific", "--search", "slow")] == [
        PATIENT
    ]
    assert PATIENT in _ronda(ronda, "sources").stdout
    assert _json(ronda, "source", "edit", PATIENT, "--every", "auto", "--title", "Follow")["every"] == "auto"
    assert _json(ronda, "source", "pause", PATIENT)["state"] == "paused"
    assert _json(ronda, "source", "resume", made["id"])["state"] == "active"
    assert _json(ronda, "source", "show", PATIENT)["title"] == "Follow"
    assert _json(ronda, "versions", PATIENT) == []
    assert "No versions yet" in _ronda(ronda, "versions", PATIENT).stdout
    assert "kept" in _ronda(ronda, "source", "delete", PATIENT).stdout
    assert _json(ronda, "source", "show", PATIENT)["state"] == "ended"


def test_mistakes_are_named(ronda: RunningRonda) -> None:
    for arguments, code, words in (
        (["follow", "ftp://x"], 2, "http"),
        (["follow", PATIENT, "--every", "yearly"], 2, "every"),
        (["follow", PATIENT, "--collection", "nowhere"], 2, "collection"),
        (["source", "show", "https://nobody.example/"], 1, "No source has the URL"),
        (["source", "edit", PATIENT], 2, "Say what to change"),
        (["visit", "https://nobody.example/"], 1, "nobody.example"),
        (["sources", "import", "/nowhere.csv"], 2, "Cannot read"),
    ):
        done = _ronda(ronda, *arguments)
        assert done.returncode == code, (arguments, done.stderr)
        assert words in done.stderr


def test_lists_go_out_and_come_back(ronda: RunningRonda, tmp_path: Path) -> None:
    file = tmp_path / "list.csv"
    file.write_text("url,every,tags\nhttps://one.example/,1d,x\nhttps://two.example/,,\nftp://three,,\n")
    done = _ronda(ronda, "sources", "import", str(file))
    assert (done.returncode, "2 taken, 1 refused" in done.stdout) == (1, True), done.stderr
    assert "ftp://three" in done.stdout
    out = tmp_path / "out.csv"
    assert _ronda(ronda, "sources", "export", "--tag", "x", "-o", str(out)).returncode == 0
    [row] = csv.DictReader(StringIO(out.read_text()))
    assert (row["url"], row["every"], row["tags"]) == ("https://one.example/", "1d", "x")
    assert "two.example" in _ronda(ronda, "sources", "export").stdout


def test_collections_and_topics(ronda: RunningRonda) -> None:
    assert {c["slug"] for c in _json(ronda, "collections")} >= {"scientific", "cultural", "educational"}
    assert _json(ronda, "collections", "add", "cli-made", "Made here", "--closed")["is_public"] is False
    assert "its people" in _ronda(ronda, "collections").stdout
    assert _json(ronda, "topics", "add", "4711", "Perfume")["code"] == 4711
    assert "Video games" in _ronda(ronda, "topics").stdout


NOISY = "https://noisy.example/"


def test_noise(ronda: RunningRonda) -> None:
    made = _json(ronda, "follow", NOISY, "--threshold", "0.1")
    assert made["threshold"] == 0.1
    assert _json(ronda, "source", "edit", NOISY, "--threshold", "0.3")["threshold"] == 0.3
    assert _json(ronda, "noise", NOISY) == []
    assert "Nothing is ignored" in _ronda(ronda, "noise", NOISY).stdout
    (rule,) = _json(ronda, "noise", NOISY, "--add-selector", "footer > p.clock")
    assert (rule["kind"], rule["state"]) == ("selector", "hand")
    _json(ronda, "noise", NOISY, "--add-regex", r"Visitors: \d+")
    _json(ronda, "noise", NOISY, "--add-field", "sid")
    assert "p.clock" in _ronda(ronda, "noise", NOISY).stdout
    assert _json(ronda, "noise", NOISY, "--add-field", "t", "--try") == []
    assert _json(ronda, "noise", NOISY, "--undo", str(rule["id"]))[0]["state"] == "undone"
    assert len(_json(ronda, "noise", NOISY)) == 2
    assert len(_json(ronda, "noise", NOISY, "--all")) == 3
    assert _json(ronda, "noise", NOISY, "--redo", str(rule["id"]))[0]["state"] == "hand"
    for arguments in (["--add-regex", "("], ["--undo", "1", "--redo", "2"], ["--try"]):
        assert _ronda(ronda, "noise", NOISY, *arguments).returncode == 2
