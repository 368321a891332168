"""`ronda diff`."""

from __future__ import annotations

import time
import uuid
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from ronda.cli.client import Client
from ronda.cli.output import AsJson, console, print_json, print_table

POLL_SECONDS = 0.5
CONTEXT_LINES = 3
PAGES_SHOWN = 100
_STYLES = {"added": "green", "removed": "red strike", "same": ""}
# Where there are no colours to tell old words from new ones: as wdiff writes them.
_MARKS = {"added": ("{+", "+}"), "removed": ("[-", "-]"), "same": ("", "")}
_SIGNS = {"added": "+ ", "removed": "- ", "changed": "~ ", "same": "  "}


def diff(
    what: Annotated[str, typer.Argument(metavar="URL|SOURCE", help="A page by its URL, a source by its id.")],
    a: Annotated[
        str,
        typer.Argument(
            help="Before: a version, a capture or a time; of a source a version's number, or: seen."
        ),
    ] = "",
    b: Annotated[str, typer.Argument(help="After. Without: the newest.")] = "",
    side_by_side: Annotated[bool, typer.Option("--side-by-side", "-y", help="Two columns.")] = False,
    whole: Annotated[bool, typer.Option("--whole", help="Also what is the same.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show what changed: on a page between two times, on a site between two versions."""
    client = Client()
    if source := _source(what):
        _site(client, source, a, b, as_json)
        return
    context = None if whole or as_json else CONTEXT_LINES
    found = client.get("/diff", url=what, a=a, b=b, context=context)
    if as_json:
        print_json(found)
        return
    console.print(f"[bold]{escape(found['url'])}[/bold]")
    console.print(
        f"{found['before']['fetched_at']} → {found['after']['fetched_at']}: {escape(found['summary'])}"
    )
    (_print_side_by_side if side_by_side else _print_inline)(found["rows"])
    for sign, name in (("+", "links_added"), ("-", "links_removed")):
        for link in found[name]:
            console.print(Text(f"{sign} {link['text']} <{link['url']}>", "green" if sign == "+" else "red"))


def _source(what: str) -> str:
    try:
        return str(uuid.UUID(what))
    except ValueError:
        return ""


def _print_inline(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        kind = row["kind"]
        line = Text(_SIGNS[kind])
        if kind == "changed":
            for piece in row["pieces"]:
                before, after = (
                    _MARKS[piece["kind"]] if console.no_color or not console.is_terminal else ("", "")
                )
                line.append(f"{before}{piece['text']}{after}", _STYLES[piece["kind"]])
        else:
            line.append(row["before"] if row["after"] is None else row["after"], _STYLES[kind])
        console.print(line)


def _print_side_by_side(rows: list[dict[str, Any]]) -> None:
    table = Table(box=None, header_style="bold", pad_edge=False, expand=True)
    for title in ("before", "after"):
        table.add_column(title, ratio=1, overflow="fold")
    for row in rows:
        table.add_row(_side(row, "before", "added"), _side(row, "after", "removed"))
    console.print(table)


def _side(row: dict[str, Any], side: str, not_here: str) -> Text:
    if row["kind"] != "changed":
        return Text(row[side] or "", _STYLES[row["kind"]])
    pieces = [piece for piece in row["pieces"] if piece["kind"] != not_here]
    return Text.assemble(*((piece["text"], _STYLES[piece["kind"]]) for piece in pieces))


def _site(client: Client, source: str, a: str, b: str, as_json: bool) -> None:
    with console.status("comparing"):
        found = client.get(f"/sources/{source}/diff", a=a, b=b)
        while found and found["state"] == "comparing":
            time.sleep(POLL_SECONDS)
            found = client.get(f"/sources/{source}/diff", a=a, b=b)
    if not found:
        nothing = (
            "Nothing is new since you last looked."
            if a == "seen"
            else "There is no version of this source yet."
        )
        console.print(nothing)
        return
    if a == "seen":
        client.post(f"/sources/{source}/seen", {"version": found["after"]})
    pages = []
    if found["before"]:
        path = f"/versions/{found['before']}/diff/{found['after']}/pages"
        pages = client.get(path, page_size=PAGES_SHOWN)["items"]
    if as_json:
        print_json({**found, "pages": pages})
        return
    console.print(f"{escape(found['summary'])} ({found['unchanged']} unchanged)")
    rows = [
        (page["url"], page["fate"], "" if page["share"] is None else f"{page['share']:.0%}", page["summary"])
        for page in pages
    ]
    if rows:
        print_table(["page", "fate", "changed", "what"], rows, "")
