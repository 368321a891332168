"""`ronda nodes`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ronda.cli.client import Client
from ronda.cli.output import AsJson, print_json, print_table

NONE_YET = "No machine is lent yet. `ronda-node join URL --token T` lends one."


def list_nodes(
    limit: Annotated[int, typer.Option(help="How many, by name.", min=1, max=500)] = 500,
    as_json: AsJson = False,
) -> None:
    """List the machines you lend, with what they are at; everybody's for an administrator."""
    nodes = Client().get("/nodes", page_size=limit)["items"]
    if as_json:
        print_json(nodes)
        return
    print_table(["name", "doing", "country", "score", "answered"], map(_row, nodes), NONE_YET)


def _row(node: dict[str, Any]) -> tuple[Any, ...]:
    """What fits a terminal; the rest is in the JSON."""
    trust = node["trust"] or {"state": "new"}
    return node["name"], _doing(node), node["country"], trust["state"], node["answered"]


def _doing(node: dict[str, Any]) -> str:
    if node["paused_at"]:
        return "paused"
    return str(node["doing"]) if node["is_present"] else f"away since {node['seen_at'][:19]} (UTC)"
