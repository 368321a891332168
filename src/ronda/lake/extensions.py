"""Where DuckDB's extensions are: signed by its makers, installed as Python packages; nothing is downloaded. Pure."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import duckdb

from ronda.errors import Unavailable


class ExtensionMissing(Unavailable):
    """DuckDB lacks an extension that Ronda needs."""


def loading(name: str) -> str:
    """What an engine executes to have the extension."""
    return f"LOAD {quoted(str(_file(name)))}"


def _file(name: str) -> Path:
    spec = find_spec(f"duckdb_extension_{name}")
    for folder in (spec.submodule_search_locations if spec else None) or []:
        file = Path(folder) / "extensions" / f"v{duckdb.__version__}" / f"{name}.duckdb_extension"
        if file.exists():
            return file
    raise ExtensionMissing(
        f"DuckDB {duckdb.__version__} has no extension {name} here.",
        hint=f"Install it: pip install duckdb-extension-{name.replace('_', '-')}=={duckdb.__version__}.",
    )


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
