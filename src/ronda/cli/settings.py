"""`ronda settings`."""

from __future__ import annotations

import os

from ronda.cli.output import AsJson, print_json, print_table
from ronda.configuration import VARIABLES


def list_variables(as_json: AsJson = False) -> None:
    """List the environment variables Ronda reads, with their present values."""
    rows = [
        {
            "name": v.name,
            "value": "(set)" if v.is_secret and os.environ.get(v.name) else os.environ.get(v.name, v.default),
            "default": v.default,
            "meaning": v.meaning,
        }
        for v in VARIABLES
    ]
    if as_json:
        print_json(rows)
    else:
        print_table(
            ["variable", "value", "meaning"], [(r["name"], r["value"], r["meaning"]) for r in rows], ""
        )
