"""Before the children start: the database answers, its tables are current, somebody can log in.

Run as a process of its own (`python -m ronda.supervision.preparing`), so that the supervisor stays small.
Prints one JSON object for the supervisor.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass

import psycopg

from ronda import configuration, logs
from ronda.configuration import Configuration
from ronda.database.connection import database_url
from ronda.database.errors import DatabaseRefuses, DatabaseUnreachable
from ronda.errors import RondaError, exit_code
from ronda.processes import die_with_parent
from ronda.supervision.home_tokens import issue_tokens

MIGRATION_LOCK_KEY = 0x726F6E6462
OLDEST_POSTGRES = 140000
PATIENCE_SECONDS = 10
# No right to make or change tables; or a standby, which takes no changes at all.
REFUSALS = (psycopg.errors.InsufficientPrivilege, psycopg.errors.ReadOnlySqlTransaction)


@dataclass(frozen=True)
class Prepared:
    """What the supervisor passes on: to its children, and to the person at the terminal."""

    secret_key: str
    administrator: str
    login_secret: str


def main() -> None:
    die_with_parent(signal.SIGKILL)
    settings = configuration.load()
    logs.configure(process_name="prepare", log_format=settings.log_format, log_level=settings.log_level)
    try:
        prepared = prepare(settings)
    except RondaError as error:
        sys.stdout.write(json.dumps({"error": str(error), "exit_code": exit_code(error)}))
        raise SystemExit(exit_code(error)) from None
    sys.stdout.write(json.dumps(asdict(prepared)))


def prepare(settings: Configuration) -> Prepared:
    os.environ["DJANGO_SETTINGS_MODULE"] = "ronda.site.settings"
    import django
    from django.core.management import call_command

    with _patient_connection(database_url(settings)) as connection:
        _check_version(connection)
        # Session-long: when several machines start at once, one migrates and the others wait for it.
        connection.execute("SELECT pg_advisory_lock(%s)", [MIGRATION_LOCK_KEY])
        django.setup()
        with _clear_refusals(connection.info.user, connection.info.dbname):
            call_command("migrate", interactive=False, verbosity=0)
            return _ensure_people(settings)


@contextmanager
def _clear_refusals(user: str, database: str) -> Iterator[None]:
    """What PostgreSQL does not let its user do is said in one line; with anything else, its trace helps."""
    try:
        yield
    except Exception as error:
        refusal = next((e for e in _chain(error) if isinstance(e, REFUSALS)), None)
        if refusal is None:
            raise
        problem = str(refusal).strip().split("\n")[0]
        raise DatabaseRefuses(
            f"The database refuses what Ronda needs: {problem}.",
            field="RONDA_DATABASE_URL",
            hint=f'The database "{database}" must belong to its user "{user}", and take changes.',
        ) from error


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error and those it came from: Django wraps the database's own, once or twice."""
    while error:
        yield error
        error = error.__cause__ or error.__context__


def _patient_connection(url: str) -> psycopg.Connection:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return psycopg.connect(url, autocommit=True, connect_timeout=3, application_name="ronda prepare")
        except psycopg.OperationalError as error:
            if time.monotonic() > deadline:
                raise DatabaseUnreachable(
                    f"The database does not answer: {str(error).strip()}",
                    field="RONDA_DATABASE_URL",
                    hint="Check RONDA_DATABASE_URL and that the server runs.",
                ) from error
            time.sleep(0.5)


def _check_version(connection: psycopg.Connection) -> None:
    if connection.info.server_version < OLDEST_POSTGRES:
        raise DatabaseUnreachable(
            f"PostgreSQL {connection.info.server_version // 10000} is too old; Ronda needs 14 or newer."
        )


def _ensure_people(settings: Configuration) -> Prepared:
    from ronda.accounts import services
    from ronda.supervision.shared_secrets import shared_secret

    shared_key = shared_secret("secret_key")
    administrator = services.ensure_administrator()
    issue_tokens(administrator, settings.home)
    has_password = administrator.has_usable_password()
    return Prepared(
        secret_key=settings.secret_key or shared_key,
        administrator=administrator.email,
        login_secret="" if has_password else services.create_login_link(person=administrator),
    )


if __name__ == "__main__":
    main()
