"""`ronda import`, `archive verify`, `archive reindex` and `export`, against a running server."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from zipfile import ZipFile

import pytest

from ronda.archive.programs import find
from ronda.errors import Unavailable
from tests.archive.foreign_files import browsertrix
from tests.archive.test_importing import by_warcio
from tests.running import RunningRonda, run_ronda
from tests.warc_files import assert_read_by_others


def _is_there(program: str) -> bool:
    try:
        return bool(find(program))
    except Unavailable:
        return False


needs_wacz = pytest.mark.skipif(
    not _is_there("wacz"), reason="wacz is not installed (tools/environment.sh does it)"
)


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


@needs_wacz
def test_wacz(shared_ronda: RunningRonda, tmp_path: Path) -> None:
    theirs, target = tmp_path / "theirs.warc.gz", tmp_path / "out.wacz"
    theirs.write_bytes(browsertrix())
    code, _, errors = command(shared_ronda, "import", str(theirs), "--collection", "technological")
    assert code == 0, errors
    code, out, errors = command(
        shared_ronda, "export", "-c", "technological", "--wacz", "-o", str(target), "--json"
    )
    assert code == 0, errors
    assert json.loads(out)["size_bytes"] == target.stat().st_size
    validated = subprocess.run(
        [find("wacz"), "validate", "-f", target], capture_output=True, text=True, check=False
    )
    assert validated.returncode == 0, validated.stdout + validated.stderr
    with ZipFile(target) as wacz:
        names = wacz.namelist()
        pages = [json.loads(line) for line in wacz.read("pages/pages.jsonl").splitlines()]
        [warc] = [name for name in names if name.startswith("archive/")]
        (tmp_path / "archive").mkdir()
        (tmp_path / "archive" / "inside.warc.gz").write_bytes(wacz.read(warc))
    assert_read_by_others([tmp_path / "archive"])
    assert "datapackage.json" in names
    assert [page["url"] for page in pages if "url" in page] == ["https://site.example/"]
