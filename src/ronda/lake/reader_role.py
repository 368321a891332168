"""A role of PostgreSQL's that may read the lake's catalogue and nothing else: who runs people's SQL connects as it.

Vetting lets no name of the catalogue pass; should it err once, this role sees no account, no token and no job.
"""

from __future__ import annotations

import logging
from typing import Any

import psycopg
from django.db import Error, connection, transaction
from psycopg import sql
from psycopg.conninfo import make_conninfo

from ronda.database.named_sql import named_sql

logger = logging.getLogger(__name__)

CONNECT_SECONDS = 5
LONGEST_NAME = 63


def reader_conninfo(params: dict[str, Any], schema: str, password: str) -> str:
    """How to connect as the reader; as ourselves where a server lets us make no role, or lets it not in.

    There is one such role for all machines on the database: they have to come with one `password`.
    """
    own = make_conninfo(**params)
    name = f"ronda_lake_{params['dbname']}"[:LONGEST_NAME]
    as_reader = make_conninfo(**{**params, "user": name, "password": password})
    try:
        _make(name, password, schema)
        psycopg.connect(as_reader, connect_timeout=CONNECT_SECONDS).close()
    except (Error, psycopg.Error) as error:
        reason = " ".join(str(error).split())[:200]
        logger.warning("people's SQL has no database role of its own, only its vetting: %s", reason)
        return own
    return as_reader


def _make(name: str, password: str, schema: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('ronda.lake.reader'))")
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [name])
        verb = "ALTER" if cursor.fetchone() else "CREATE"
        made = sql.SQL(named_sql("ronda.lake", "reader_role")).format(
            verb=sql.SQL(verb),
            role=sql.Identifier(name),
            password=sql.Literal(password),
            schema=sql.Identifier(schema),
        )
        cursor.execute(made.as_string(cursor.connection))
