"""`ronda import`, `archive verify`, `archive reindex` and `export`, against a running server."""

from __future__ import annotations

import json
from pathlib import Path

from tests.archive.test_importing import by_warcio
from tests.running import RunningRonda, run_ronda
from tests.warc_files import assert_read_by_others


def command(ronda: RunningRonda, *words: str) -> tuple[int, str, str]:
    ended = run_ronda(*words, home=ronda.home, RONDA_PORT=str(ronda.port))
    return ended.returncode, ended.stdout, ended.stderr


def test_in_and_out(shared_ronda: RunningRonda, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs.warc.gz"
    theirs.write_bytes(by_warcio())
    code, out, errors = command(shared_ronda, "import", str(theirs), "--collection", "cultural", "--json")
    assert code == 0, errors
    [report] = json.loads(out)
    assert (report["taken"], report["left_out"]) == (5, 0)
    code, out, errors = command(shared_ronda, "archive", "verify", "--json")
    assert code == 0, out + errors
    assert json.loads(out)["captures"] >= 5
    assert command(shared_ronda, "archive", "reindex")[0] == 0
    (tmp_path / "archive").mkdir()
    target = tmp_path / "archive" / "out.warc.gz"
    code, out, errors = command(shared_ronda, "export", "-c", "cultural", "-o", str(target))
    assert code == 0, errors
    assert_read_by_others([tmp_path / "archive"])
    code, out, _ = command(shared_ronda, "import", str(target), "--collection", "cultural", "--json")
    [again] = json.loads(out)
    assert (code, again["taken"], again["known"]) == (0, 0, 5)


def test_mistakes(shared_ronda: RunningRonda, tmp_path: Path) -> None:
    assert command(shared_ronda, "import", str(tmp_path / "none"), "-c", "cultural")[0] == 2
    broken = tmp_path / "broken.warc"
    broken.write_bytes(b"hello")
    code, out, _ = command(shared_ronda, "import", str(broken), "-c", "cultural")
    assert code == 1
    assert "broken at byte 0" in out
    code, _, errors = command(shared_ronda, "export", "-c", "nowhere", "-o", str(tmp_path / "out.warc.gz"))
    assert code == 1
    assert "There is no such collection" in errors
    assert command(shared_ronda, "export")[0] == 2
