"""Programs of other projects that we run and do not import, as what they need does not go with what we need."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from ronda.archive.errors import ProgramMissing


def find(name: str) -> Path:
    """In the environment beside ours that `./run` makes, or wherever the shell would find it."""
    beside = Path(sys.prefix) / "replay" / "bin"
    found = shutil.which(name, path=str(beside)) or shutil.which(name)
    if found is None:
        raise ProgramMissing(
            f"The program {name} is not installed.",
            hint=f"./run installs it; or: python -m venv {beside.parent} && {beside}/pip install {name}",
        )
    return Path(found)
