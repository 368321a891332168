"""From a database address to connection parameters."""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from ronda.configuration import Configuration
from ronda.database.embedded import EmbeddedPostgres
from ronda.environment import ConfigurationError

CONNECT_TIMEOUT_SECONDS = 5

# Shared by a process's threads: an ASGI request gets a thread of its own, and would keep a connection with it.
POOL = {"min_size": 0, "max_size": 20, "timeout": 5, "max_idle": 60, "reconnect_timeout": 5}

# A peer that vanished without closing (pulled cable, frozen machine) is noticed within seconds, on both ends.
KEEPALIVES = {"keepalives_idle": 5, "keepalives_interval": 2, "keepalives_count": 3}


def database_url(configuration: Configuration) -> str:
    """Your PostgreSQL when RONDA_DATABASE_URL names one, the embedded one otherwise."""
    if not configuration.database_url:
        return EmbeddedPostgres(configuration.home).url
    try:
        given = conninfo_to_dict(configuration.database_url)
        for host in str(given.get("host", "")).split(","):
            if not host.startswith("/"):
                host.encode("idna")  # what resolving it would do, with an error nobody expects there
    except (psycopg.ProgrammingError, UnicodeError) as error:
        problem = str(error).strip().rstrip(".")
        raise ConfigurationError(f"RONDA_DATABASE_URL: {problem}.", field="RONDA_DATABASE_URL") from None
    return configuration.database_url


def django_database(url: str) -> dict[str, Any]:
    """The DATABASES entry for a postgresql:// address."""
    given = conninfo_to_dict(url)
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": given.pop("dbname", ""),
        "USER": given.pop("user", ""),
        "PASSWORD": given.pop("password", ""),
        "HOST": given.pop("host", ""),
        "PORT": str(given.pop("port", "")),
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {"connect_timeout": CONNECT_TIMEOUT_SECONDS, "pool": POOL, **KEEPALIVES, **given},
    }
