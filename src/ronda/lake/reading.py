"""Reading the lake: one snapshot, whatever is written meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress

import duckdb

from ronda.lake.catalogue import gone
from ronda.lake.errors import LakeUnavailable
from ronda.lake.opening import NAME, Purpose, attaching, cursor, forget, loading
from ronda.lake.tables import all_tables


@contextmanager
def reading(purpose: Purpose = Purpose.ASKING) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection that sees the lake as it is now until it is given back, and can write nothing.

    Tables stand there under their own names (`SELECT … FROM revisions`). Times are UTC without a zone. When PostgreSQL
    goes away meanwhile, that is Django's OperationalError.
    """
    taken = _begin(purpose)
    try:
        yield taken
    except duckdb.Error as error:
        if away := gone(error):
            forget()
            raise away from error
        raise
    finally:
        with suppress(duckdb.Error):
            taken.execute("ROLLBACK")
        taken.close()


def attachment() -> Callable[[duckdb.DuckDBPyConnection], frozenset[str]]:
    """What puts the lake on somebody else's engine, to be read beside other tables, and names its tables there.

    That may be done in any thread: our PostgreSQL is asked here.
    """
    with reading():
        pass  # it has to be there before it can be opened for reading only
    names = frozenset(table.name for table in all_tables())
    statements = [*loading(), attaching(is_read_only=True)]
    statements += [f"CREATE VIEW {name} AS FROM {NAME}.{name}" for name in sorted(names)]

    def attach(engine: duckdb.DuckDBPyConnection) -> frozenset[str]:
        for statement in statements:
            engine.execute(statement)
        return names

    return attach


def looking_up() -> AbstractContextManager[duckdb.DuckDBPyConnection]:
    """The same for whoever needs a few rows of one page, and works on beside it."""
    return reading(Purpose.LOOKING_UP)


def _begin(purpose: Purpose) -> duckdb.DuckDBPyConnection:
    try:
        return _snapshot(purpose)
    except duckdb.Error:
        forget()  # PostgreSQL was restarted, and the engine holds connections to the one before
    try:
        return _snapshot(purpose)
    except duckdb.Error as error:
        raise gone(error) or LakeUnavailable(f"The lake does not answer: {error}") from error


def _snapshot(purpose: Purpose) -> duckdb.DuckDBPyConnection:
    taken = cursor(purpose)
    taken.execute("BEGIN")
    taken.execute("SELECT id FROM ducklake_current_snapshot(?)", [NAME]).fetchall()
    return taken
