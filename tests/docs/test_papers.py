"""The papers: links lead somewhere, tables are regular, deploy files are what their programs take."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PAPERS = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), ROOT / "node" / "README.md"]


@pytest.mark.parametrize("paper", PAPERS, ids=lambda path: path.name)
def test_links_lead_somewhere(paper: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)", paper.read_text())
    missing = [t for t in targets if "://" not in t and not (paper.parent / t).exists()]
    assert not missing


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


@pytest.fixture(scope="module")
def requirements() -> list[list[str]]:
    lines = (ROOT / "docs" / "requirements.md").read_text().splitlines()
    return [_cells(line) for line in lines if re.match(r"\| [A-Z]-\d", line)]


def test_requirements_table_is_regular(requirements: list[list[str]]) -> None:
    """One row a requirement: `| X-NNN |`, five columns, ascending; the tests and benchmarks it names exist."""
    assert len(requirements) > 500
    for cells in requirements:
        assert len(cells) == 5, cells
        assert all(cells), cells
        for path, name in re.findall(r"(tests/[\w/.]+)(?:::(\w+))?", cells[3]):
            assert (ROOT / path).exists(), f"{cells[0]} names {path}"
            assert not name or f"def {name}(" in (ROOT / path).read_text(), f"{cells[0]} names {path}::{name}"
        for module, words in re.findall(r"python -m bench\.(\w+)((?: \w+)*)", cells[3]):
            assert (ROOT / "bench" / f"{module}.py").exists(), f"{cells[0]} names bench.{module}"
            for word in words.split():
                assert (ROOT / "bench" / f"{word}.py").exists(), f"{cells[0]} names the part {word}"
    identifiers = [cells[0] for cells in requirements]
    assert identifiers == sorted(set(identifiers), key=lambda i: ("WARGM".index(i[0]), i))


def test_requirements_are_counted_right(requirements: list[list[str]]) -> None:
    lines = iter((ROOT / "docs" / "requirements.md").read_text().splitlines())
    header = _cells(next(line for line in lines if line.startswith("| document |")))
    next(lines)
    told = [_cells(next(lines)) for _ in "WARGM+"]
    for letter, row in zip("WARGM+", told, strict=True):
        states = Counter(_state(cells[3]) for cells in requirements if letter in ("+", cells[0][0]))
        counted = {"rows": states.total(), **states}
        assert row[1:] == [str(counted.pop(column, 0)) for column in header[1:]], row[0]
        assert not counted, f"{row[0]}: no column for {counted}"


def _state(shown_by: str) -> str:
    if shown_by.startswith("#"):
        return f"planned {shown_by.partition(',')[0]}"
    if shown_by.startswith("`python -m bench."):
        return "measured"
    return shown_by if shown_by in ("open", "declined") else "built"


def test_readme_is_one_screen() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 45


@pytest.mark.skipif(
    not shutil.which("docker"),
    reason="no docker client: compose.yaml is not checked (apt install docker.io docker-compose)",
)
def test_compose_file() -> None:
    if subprocess.run(["docker", "compose", "version"], capture_output=True, check=False).returncode:
        pytest.skip("this docker client has no compose: compose.yaml is not checked")
    done = subprocess.run(
        ["docker", "compose", "-f", ROOT / "deploy" / "compose.yaml", "config", "--quiet"],
        env={"PATH": "/usr/bin:/bin:/usr/local/bin", "RONDA_DB_PASSWORD": "x"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(
    not shutil.which("systemd-analyze"),
    reason="no systemd-analyze: the units are not checked (apt install systemd)",
)
@pytest.mark.parametrize(
    "unit", sorted((ROOT / "deploy" / "systemd").glob("*.service")), ids=lambda path: path.name
)
def test_systemd_unit(unit: Path, tmp_path: Path) -> None:
    # The program it starts is not installed here: any other stands for it.
    copy = tmp_path / unit.name
    copy.write_text(re.sub(r"ExecStart=\S+", "ExecStart=/bin/true", unit.read_text()))
    done = subprocess.run(["systemd-analyze", "verify", copy], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
