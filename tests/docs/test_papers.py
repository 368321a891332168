"""The papers: links lead somewhere, tables are regular, deploy files are what their programs take."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PAPERS = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), ROOT / "node" / "README.md"]


@pytest.mark.parametrize("paper", PAPERS, ids=lambda path: path.name)
def test_links_lead_somewhere(paper: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)", paper.read_text())
    missing = [t for t in targets if "://" not in t and not (paper.parent / t).exists()]
    assert not missing


def test_requirements_table_is_regular() -> None:
    """One row a requirement: `| X-NNN |`, five columns, ascending; the tests it names exist."""
    rows = [
        line
        for line in (ROOT / "docs" / "requirements.md").read_text().splitlines()
        if re.match(r"\| [A-Z]-\d", line)
    ]
    assert len(rows) > 500
    identifiers = []
    for row in rows:
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]]
        assert len(cells) == 5, row
        assert all(cells), row
        identifiers.append(cells[0])
        for path in re.findall(r"tests/[\w/.]+", cells[3]):
            assert (ROOT / path).exists(), f"{cells[0]} names {path}"
    assert identifiers == sorted(set(identifiers), key=lambda i: ("WARGM".index(i[0]), i))


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
