"""How commands show data: a table for people, JSON for programs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement
from rich.table import Table

_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# Texts longer than this may be folded in a table, so that all columns find room.
FOLDED = 24
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

console = Console(highlight=False)


def print_json(data: Any) -> None:
    typer.echo(json.dumps(data, indent=2, ensure_ascii=False))


def size(number: int) -> str:
    """As the console says it: a KB is 1,024 bytes."""
    if number < 1024:
        return "1 byte" if number == 1 else f"{number} bytes"
    amount, units = number / 1024, ["KB", "MB", "GB", "TB"]
    while amount >= 1024 and len(units) > 1:
        amount /= 1024
        units.pop(0)
    return f"{amount:,.1f} {units[0]}"


def counted(number: int, thing: str) -> str:
    """`1 file`, `2,000 files`."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def print_table(columns: Sequence[str], rows: Iterable[Sequence[Any]], empty: str) -> None:
    """A line a row; where the terminal is too narrow for that, a line a value, as psql has it."""
    written = [["" if cell is None else str(cell) for cell in row] for row in rows]
    if not written:
        console.print(empty)
    elif console.is_terminal and _least_width(columns, written) > console.width:
        _print_records(columns, written)
    else:
        _print_lines(columns, written)


def _least_width(columns: Sequence[str], rows: list[list[str]]) -> int:
    """How narrow a table can be in which long texts are folded, but neither ids nor short values."""
    cells = zip(columns, *rows, strict=True)
    return sum(
        max(len(cell) if _ID.fullmatch(cell) else min(len(cell), FOLDED) for cell in column) + 1
        for column in cells
    )


def _print_lines(columns: Sequence[str], rows: list[list[str]]) -> None:
    table = Table(box=None, header_style="bold", pad_edge=False)
    for number, column in enumerate(columns):
        is_short = all(len(row[number]) <= FOLDED or _ID.fullmatch(row[number]) for row in rows)
        table.add_column(column, overflow="fold", no_wrap=is_short)
    for row in rows:
        table.add_row(*map(escape, row))
    if console.is_terminal:
        console.print(table)
        return
    # Programs and files have no width: what they read stays on one line.
    endless = console.options.update(max_width=1_000_000)
    Console(highlight=False, width=Measurement.get(console, endless, table).maximum).print(table)


def _print_records(columns: Sequence[str], rows: list[list[str]]) -> None:
    for number, row in enumerate(rows):
        if number:
            console.print()
        table = Table(box=None, show_header=False, pad_edge=False)
        table.add_column(style="bold", no_wrap=True)
        table.add_column(overflow="fold")
        for column, cell in zip(columns, row, strict=True):
            table.add_row(escape(column), escape(cell))
        console.print(table)
