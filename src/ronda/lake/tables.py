"""The tables of the lake. A room declares its own; they are made when the lake is first opened."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """`create` is a whole `CREATE TABLE IF NOT EXISTS`; files are sorted by `sorted_by` when they are merged."""

    name: str
    create: str
    sorted_by: tuple[str, ...] = ()


_tables: dict[str, Table] = {}


def register(table: Table) -> Table:
    if table.name in _tables:
        raise ValueError(f"table {table.name} of the lake is declared twice")
    _tables[table.name] = table
    return table


def all_tables() -> tuple[Table, ...]:
    return tuple(_tables.values())
