"""`ronda noise`: what is ignored on a source's pages."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ronda.cli.client import Client
from ronda.cli.naming import SourceName, source_named
from ronda.cli.output import AsJson, print_json, print_table
from ronda.errors import InvalidInput


def noise(
    source: SourceName,
    add_selector: Annotated[
        str, typer.Option(metavar="CSS", help="Ignore the elements it selects, with all in them.")
    ] = "",
    add_regex: Annotated[str, typer.Option(metavar="REGEX", help="Ignore the text it finds.")] = "",
    add_field: Annotated[str, typer.Option(metavar="NAME", help="Ignore this field of links.")] = "",
    trial: Annotated[
        bool, typer.Option("--try", help="Only show what it would do to the last two versions.")
    ] = False,
    undo: Annotated[int | None, typer.Option(metavar="N", help="Count rule N again, for good.")] = None,
    redo: Annotated[
        int | None, typer.Option(metavar="N", help="Ignore what was undone, or is only suspected.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Also what is suspected or undone.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show what is noise on a source's pages; write rules by hand, try them, undo them."""
    asked = [
        ("selector", add_selector), ("pattern", add_regex), ("field", add_field), ("undo", undo), ("redo", redo),
    ]  # fmt: skip
    said = [(what, value) for what, value in asked if value not in ("", None)]
    if len(said) > 1 or (trial and not (said and said[0][0] not in ("undo", "redo"))):
        raise InvalidInput("Say one rule to add, try, undo or redo at a time.")
    client = Client()
    address = f"/sources/{source_named(client, source)['id']}/noise"
    if not said:
        found = client.get(address, page_size=500)["items"]
        _print([row for row in found if everything or row["is_in_force"]], as_json)
        return
    what, value = said[0]
    if what in ("undo", "redo"):
        _print([client.patch(f"{address}/{value}", {"is_in_force": what == "redo"})], as_json)
    elif trial:
        _print_trials(client.post(f"{address}/trial", {"kind": what, "where": value}), as_json)
    else:
        _print([client.post(address, {"kind": what, "where": value})], as_json)


def _print(rows: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        print_json(rows)
        return
    columns = ["rule", "kind", "where", "looks like", "state", "since (UTC)", "visits", "example"]
    shown = [
        (
            row["id"],
            row["kind"],
            row["where"],
            row["nature"],
            "too slow" if row["is_too_slow"] else row["state"],
            (row["since"] or "")[:19],
            row["visits"],
            " → ".join(row["examples"][-1]) if row["examples"] else "",
        )
        for row in rows
    ]
    print_table(columns, shown, "Nothing is ignored. --all shows what is suspected or undone.")


def _print_trials(trials: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        print_json(trials)
        return
    rows = [
        (one["url"], f"{one['score_before']:.3f}", f"{one['score_after']:.3f}", " · ".join(one["taken"][:3]))
        for one in trials
    ]
    print_table(
        ["page", "score", "with the rule", "takes away"], rows, "There is no version yet to try it on."
    )
