"""A bound on what one statement may cost, for those whose shape somebody outside has a say in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import OperationalError, connection, transaction
from psycopg.errors import QueryCanceled

from ronda.errors import InvalidInput


@contextmanager
def at_most(seconds: int, *, field: str) -> Iterator[None]:
    """One transaction, each statement of which is cancelled after so long: then what was asked for is refused."""
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SELECT set_config('statement_timeout', %s, true)", [f"{seconds}s"])
            yield
            with connection.cursor() as cursor:
                # In a transaction around this one the bound would hold on.
                cursor.execute("SELECT set_config('statement_timeout', '0', true)")
    except OperationalError as error:
        if not isinstance(error.__cause__, QueryCanceled):
            raise
        raise InvalidInput(
            f"This takes the database longer than {seconds} seconds.",
            field=field,
            hint="Ask for less: a shorter stretch of the index, a simpler filter.",
        ) from None
