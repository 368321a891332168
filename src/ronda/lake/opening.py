"""Opens the lake: the one place that knows DuckDB's extensions and where catalogue and files are.

One engine a process for each purpose, opened when first needed; threads take cursors of it.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import Any

import duckdb
from django.conf import settings
from django.db import connection, transaction
from psycopg.conninfo import make_conninfo

from ronda.lake import extensions
from ronda.lake.catalogue import gone
from ronda.lake.errors import LakeUnavailable
from ronda.lake.extensions import quoted
from ronda.lake.tables import Table, all_tables

NAME = "lake"
# Of one engine: a process that looks up and writes has two.
CATALOGUE_CONNECTIONS = 4
SPILL_GIGABYTES = 20
# Parquet's own default, said here as files of the lake are written for long.
FORMAT_OPTIONS = {"parquet_compression": "zstd", "parquet_version": "2"}
# Parameters of Django's that PostgreSQL's own library does not know.
_NOT_FOR_LIBPQ = ("cursor_factory", "context", "prepare_threshold", "pool", "server_side_binding")


class Purpose(Enum):
    """What an engine is for. Only questions are worth several threads: where little is read or written, those that have
    nothing to do wait by asking again and again, and take the processor from whoever is asked or asks meanwhile."""

    ASKING = "asking"
    LOOKING_UP = "looking up"
    WRITING = "writing"

    @property
    def is_read_only(self) -> bool:
        return self is not Purpose.WRITING


_engines: dict[tuple[str, str, Purpose], duckdb.DuckDBPyConnection] = {}
_opening = threading.RLock()


def lake_folder() -> Path:
    home: Path = settings.RONDA.home
    return home / "lake"


def cursor(purpose: Purpose) -> duckdb.DuckDBPyConnection:
    """A connection of its own to this process's engine; whoever takes it closes it."""
    with _opening:
        place = _place(purpose)
        engine = _engines.get(place)
        if engine is None:
            engine = _engines[place] = _open(purpose)
        taken = engine.cursor()
    taken.execute(f"USE {NAME}")
    return taken


def is_open(purpose: Purpose) -> bool:
    return _place(purpose) in _engines


def _place(purpose: Purpose) -> tuple[str, str, Purpose]:
    return _catalogue(), str(lake_folder()), purpose


def forget() -> None:
    """The next who asks gets a new engine; one that is still in use ends with its last cursor."""
    with _opening:
        while _engines:
            _, engine = _engines.popitem()
            # A commit that failed keeps the catalogue's connections otherwise, whatever becomes of the engine.
            with suppress(duckdb.Error):
                engine.execute(f"DETACH {NAME}")


def _open(purpose: Purpose) -> duckdb.DuckDBPyConnection:
    if not purpose.is_read_only:
        return _attach(purpose)
    try:
        engine = _attach(purpose)
    except LakeUnavailable:
        _make()  # nobody wrote anything yet
        return _attach(purpose)
    if _missing(engine):
        engine.close()
        _make()
        engine = _attach(purpose)
    return engine


def _make() -> None:
    _attach(Purpose.WRITING).close()


def _attach(purpose: Purpose) -> duckdb.DuckDBPyConnection:
    folder = lake_folder()
    engine = _engine(threads=settings.RONDA.lake_threads if purpose is Purpose.ASKING else 1)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        engine.execute(f"SET pg_pool_max_connections = {CATALOGUE_CONNECTIONS}")
        if purpose.is_read_only:
            engine.execute(attaching(is_read_only=True))
        else:
            _attach_and_make(engine, attaching(is_read_only=False))
    except (duckdb.Error, OSError) as error:
        engine.close()
        problem = LakeUnavailable(f"The lake in {folder} cannot be opened: {_first_line(error)}")
        raise gone(error) or problem from error
    return engine


def loading() -> list[str]:
    """What an engine executes before it can attach the lake."""
    return [extensions.loading(name) for name in ("postgres_scanner", "ducklake")]


def attaching(*, is_read_only: bool, catalogue: str = "") -> str:
    """`catalogue`: how to connect to it, if not as ourselves."""
    options = [
        f"DATA_PATH {quoted(f'{lake_folder()}/')}",
        f"METADATA_SCHEMA '{NAME}'",
        "OVERRIDE_DATA_PATH true",
    ]
    options += ["READ_ONLY"] if is_read_only else []
    return (
        f"ATTACH {quoted(f'ducklake:postgres:{catalogue or _catalogue()}')} AS {NAME} ({', '.join(options)})"
    )


def _attach_and_make(engine: duckdb.DuckDBPyConnection, attach: str) -> None:
    """Several processes may be the first at once: one of them makes the lake, the others wait for it."""
    with transaction.atomic(), connection.cursor() as lock:
        lock.execute("SELECT pg_advisory_xact_lock(hashtext('ronda.lake.make'))")
        engine.execute(attach)
        if missing := _missing(engine):
            for option, value in FORMAT_OPTIONS.items():
                engine.execute(f"CALL {NAME}.set_option('{option}', '{value}')")
            for table in missing:
                _create(engine, table)


def _create(engine: duckdb.DuckDBPyConnection, table: Table) -> None:
    engine.execute("BEGIN")
    engine.execute(f"USE {NAME}")
    engine.execute(table.create)
    if table.sorted_by:
        engine.execute(f"ALTER TABLE {table.name} SET SORTED BY ({', '.join(table.sorted_by)})")
    engine.execute("COMMIT")
    engine.execute("USE memory")


def _missing(engine: duckdb.DuckDBPyConnection) -> list[Table]:
    rows = engine.execute("SELECT table_name FROM duckdb_tables() WHERE database_name = ?", [NAME]).fetchall()
    there = {str(row[0]) for row in rows}
    return [table for table in all_tables() if table.name not in there]


def _engine(*, threads: int) -> duckdb.DuckDBPyConnection:
    """An engine with what the lake needs, that takes nothing from the network and installs nothing."""
    ronda = settings.RONDA
    engine = duckdb.connect(
        ":memory:",
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "threads": str(threads),
            "memory_limit": f"{ronda.lake_memory_mb}MB",
            "temp_directory": str(ronda.home / "lake-spill"),
            "max_temp_directory_size": f"{SPILL_GIGABYTES}GB",
            # The operating system keeps files that are read often; a second copy would be in every process.
            "enable_external_file_cache": "false",
        },
    )
    for statement in loading():
        engine.execute(statement)
    return engine


def catalogue_params() -> dict[str, Any]:
    given: dict[str, Any] = connection.get_connection_params()
    return {key: value for key, value in given.items() if key not in _NOT_FOR_LIBPQ}


def _catalogue() -> str:
    return make_conninfo(**catalogue_params())


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0]
