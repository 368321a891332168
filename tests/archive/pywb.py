"""The real pywb, from the environment that tools/environment.sh makes for it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from ronda.archive.programs import find
from ronda.errors import Unavailable
from tests.running import free_port, wait_for


def _folder() -> Path | None:
    try:
        return find("wayback").parent
    except Unavailable:
        return None


PYWB = _folder() or Path("nowhere")
needs_pywb = pytest.mark.skipif(
    not PYWB.exists(), reason="pywb is not installed (tools/environment.sh does it)"
)


@contextmanager
def pywb_serving(folder: Path, config: dict[str, Any]) -> Iterator[str]:
    """pywb as its users run it, on a free port."""
    (folder / "config.yaml").write_text(json.dumps(config))
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    with (folder / "pywb.log").open("wb") as log:
        process = subprocess.Popen(
            [PYWB / "wayback", "-b", "127.0.0.1", "-p", str(port)], cwd=folder, stdout=log, stderr=log
        )
    try:
        wait_for(lambda: _answers(address), "pywb to answer")
        yield address
    finally:
        process.kill()
        process.wait()


def _answers(address: str) -> bool:
    try:
        with urlopen(f"{address}/collinfo.json", timeout=5):
            return True
    except HTTPError:
        return True
    except OSError:
        return False
