"""SQL longer than a line lives in `<room>/sql/<name>.sql`; this reads it, once."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def named_sql(room: str, name: str) -> str:
    return files(room).joinpath("sql", f"{name}.sql").read_text()
