"""The catalogues are complete and in step with the texts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_text_is_translated() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "messages.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
