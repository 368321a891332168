"""`ronda up`: starts PostgreSQL and the roles of this machine, keeps them alive, and ends them all."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

from ronda.configuration import Configuration
from ronda.database.connection import database_url
from ronda.database.embedded import EmbeddedPostgres
from ronda.database.errors import DatabaseUnreachable, EmbeddedPostgresFailed
from ronda.supervision.errors import CannotPrepare, PortInUse
from ronda.supervision.home import NODE_TOKEN_FILE, TOKEN_FILE, HomeLock, write_private
from ronda.supervision.managed import Launched, ManagedProcess
from ronda.supervision.outlet import Outlet
from ronda.supervision.preparing import Prepared
from ronda.supervision.reporting import Reporter
from ronda.supervision.roles import RoleOfProcess
from ronda.supervision.states import ProcessState

logger = logging.getLogger(__name__)

TICK_SECONDS = 0.2
REPORT_SECONDS = 1.0
STOP_GRACE_SECONDS = 10
POSTGRES_START_SECONDS = 60
POSTGRES_STOP_SECONDS = 20
# Patient: a checkpoint on a slow disk may hold everything up for a while.
POSTGRES_HANG_SECONDS = 30
POSTGRES = "postgres"


class Supervisor:
    def __init__(
        self,
        configuration: Configuration,
        roles: Sequence[RoleOfProcess],
        announce: Callable[[Prepared], None],
        outlet: Outlet,
    ) -> None:
        self.configuration = configuration
        self.roles = roles
        self.announce = announce
        self.outlet = outlet
        self.instance = str(uuid.uuid4())
        self.reporter = Reporter(database_url(configuration), self.instance)
        self.embedded = None if configuration.database_url else EmbeddedPostgres(configuration.home)
        self.children: list[ManagedProcess] = []
        self.postgres: ManagedProcess | None = None
        self.stopping = asyncio.Event()
        self._listener: socket.socket | None = None
        self._child_environment: dict[str, str] = {}

    async def run(self) -> None:
        """Until a signal: everything that was started is ended before this returns."""
        lock = HomeLock(self.configuration.home)
        loop = asyncio.get_running_loop()
        for how in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(how, self._told_to_stop)
        try:
            self._listen()
            await self._start_postgres()
            prepared = await self._prepare()
            if prepared is None:
                return
            self._start_children(prepared)
            watching = asyncio.create_task(self._watch())
            self.announce(prepared)
            await watching
        finally:
            await self._end_everything()
            lock.release()

    def _told_to_stop(self) -> None:
        if self.stopping.is_set():  # said twice: no more patience
            for child in self.children:
                child.kill()
        self.stopping.set()

    def _listen(self) -> None:
        """The port is ours, not the web process's: connections wait in line while that one is restarted."""
        if not any(role.name == "web" for role in self.roles):
            return
        host, port = self.configuration.host, self.configuration.port
        try:
            family, *_, address = socket.getaddrinfo(
                host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )[0]
            self._listener = socket.socket(family, socket.SOCK_STREAM)
            self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._listener.bind(address)
            self._listener.listen(1024)
        except (OSError, UnicodeError) as error:
            reason = getattr(error, "strerror", None) or error
            raise PortInUse(
                f"Cannot listen on {host}:{port}: {reason}.",
                field="RONDA_PORT",
                hint="Choose another port (--port, RONDA_PORT) or address (--host, RONDA_HOST).",
            ) from error

    async def _start_postgres(self) -> None:
        if self.embedded is None:
            return
        embedded = self.embedded
        embedded.prepare()
        self.postgres = ManagedProcess(
            name=POSTGRES, role=POSTGRES, launch=lambda: Launched(embedded.spawn(), None), show=_show_postgres
        )
        self.postgres.start()
        deadline = time.monotonic() + POSTGRES_START_SECONDS
        while not embedded.is_ready():
            if self.postgres.has_ended() or time.monotonic() > deadline:
                self.postgres.release()
                raise EmbeddedPostgresFailed(
                    f"PostgreSQL did not start: {' '.join(self.postgres.last_words)[-800:] or 'no reason given'}"
                )
            await asyncio.sleep(0.05)
        self.postgres.note_life()

    async def _prepare(self) -> Prepared | None:
        """None if we were told to stop meanwhile: another machine's migrations may take long."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "ronda.supervision.preparing",
            env={**os.environ, **self.configuration.as_environment()},
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        talking = asyncio.create_task(process.communicate())
        stopping = asyncio.create_task(self.stopping.wait())
        await asyncio.wait([talking, stopping], return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if not talking.done():
            process.kill()
        output, _ = await talking
        if self.stopping.is_set():
            return None
        try:
            answer = json.loads(output)
        except ValueError:
            raise CannotPrepare(hint="What it said stands above.") from None
        if "error" in answer:
            raise (DatabaseUnreachable if answer["exit_code"] == 2 else CannotPrepare)(answer["error"])
        return Prepared(**answer)

    def _start_children(self, prepared: Prepared) -> None:
        write_private(self.configuration.home / TOKEN_FILE, prepared.command_line_token)
        write_private(self.configuration.home / NODE_TOKEN_FILE, prepared.node_token)
        configuration = replace(self.configuration, secret_key=prepared.secret_key)
        self._child_environment = {**os.environ, **configuration.as_environment(), "PYTHONUNBUFFERED": "1"}
        for role in self.roles:
            for number in range(1, role.count(configuration) + 1):
                child = ManagedProcess(
                    name=f"{role.name}-{number}",
                    role=role.name,
                    launch=lambda role=role, number=number: self._launch(role, number),  # type: ignore[misc]
                    show=lambda line: self.outlet.write(line + "\n"),
                )
                self.children.append(child)
                child.start()

    def _launch(self, role: RoleOfProcess, number: int) -> Launched:
        beat_read, beat_write = os.pipe()
        passed = [beat_write]
        arguments = [
            "--name",
            f"{role.name}-{number}",
            "--instance",
            self.instance,
            "--beat-fd",
            str(beat_write),
        ]
        if role.name == "web" and self._listener:
            passed.append(self._listener.fileno())
            arguments += ["--listen-fd", str(self._listener.fileno())]
        try:
            popen = subprocess.Popen(
                [sys.executable, "-m", "ronda.supervision.child", role.name, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=passed,
                env=self._child_environment,
                start_new_session=True,
            )
        finally:
            os.close(beat_write)
        return Launched(popen, beat_read)

    async def _watch(self) -> None:
        reporting = asyncio.create_task(self._report_regularly())
        try:
            while not self.stopping.is_set():
                self._look_after_postgres()
                for child in self.children:
                    if event := child.tick():
                        logger.warning("%s %s", child.name, event)
                with suppress(TimeoutError):
                    await asyncio.wait_for(self.stopping.wait(), TICK_SECONDS)
        finally:
            reporting.cancel()
            with suppress(asyncio.CancelledError):
                await reporting
            for child in self._all():
                child.state = ProcessState.STOPPED
            await self.reporter.report(self._all())
            await self.reporter.close()

    def _look_after_postgres(self) -> None:
        if self.postgres is None or self.embedded is None:
            return
        if event := self.postgres.tick():
            logger.warning("%s %s", POSTGRES, event)
        if not self.postgres.is_running:
            return
        is_back = self.postgres.beat_at is None and self.embedded.is_ready()
        if is_back:
            logger.info("PostgreSQL is back")
            self.reporter.answered_at = time.monotonic()
            for child in self.children:
                child.forgive()
        if is_back or self.postgres.beat_at:
            self.postgres.note_life()
        if self.postgres.beat_at and time.monotonic() - self.reporter.answered_at > POSTGRES_HANG_SECONDS:
            # Nothing it acknowledged is lost: it recovers from its log, as after a power cut.
            logger.error("PostgreSQL has said nothing for %d s and is killed", POSTGRES_HANG_SECONDS)
            self.reporter.answered_at = time.monotonic()
            self.postgres.kill()

    async def _report_regularly(self) -> None:
        while True:
            for name in await self.reporter.report(self._all()):
                logger.info("restarting %s: somebody asked for it", name)
                self._stop_politely(self._named(name))
            await asyncio.sleep(REPORT_SECONDS)

    def _all(self) -> list[ManagedProcess]:
        return [*self.children, *([self.postgres] if self.postgres else [])]

    def _named(self, name: str) -> ManagedProcess:
        return next(process for process in self._all() if process.name == name)

    @staticmethod
    def _stop_politely(process: ManagedProcess) -> None:
        if process.role == POSTGRES:
            # Fast shutdown: sessions are cut, nothing that was committed is lost.
            process.ask_to_stop(signal.SIGINT, POSTGRES_STOP_SECONDS)
        else:
            process.ask_to_stop(signal.SIGTERM, STOP_GRACE_SECONDS)

    async def _end_everything(self) -> None:
        for child in self.children:
            self._stop_politely(child)
        await self._wait_for(self.children, STOP_GRACE_SECONDS)
        if self.postgres:
            self._stop_politely(self.postgres)
            await self._wait_for([self.postgres], POSTGRES_STOP_SECONDS)
        if self._listener:
            self._listener.close()

    @staticmethod
    async def _wait_for(processes: Sequence[ManagedProcess], grace_seconds: float) -> None:
        deadline = time.monotonic() + grace_seconds
        while not all(process.has_ended() for process in processes):
            if time.monotonic() > deadline:
                for process in processes:
                    process.kill()
            await asyncio.sleep(0.05)
        for process in processes:
            process.release()


_POSTGRES_LEVELS = {
    "LOG": logging.DEBUG,
    "DETAIL": logging.DEBUG,
    "HINT": logging.DEBUG,
    "STATEMENT": logging.DEBUG,
}
_POSTGRES_LEVELS |= {
    "WARNING": logging.WARNING,
    "ERROR": logging.INFO,
    "FATAL": logging.INFO,
    "PANIC": logging.ERROR,
}


def _show_postgres(line: str) -> None:
    """PostgreSQL's own words into our log. ERROR and FATAL concern one session, which reports them itself."""
    found = re.match(r"([A-Z]+):\s+(.*)", line)
    level, words = (found[1], found[2]) if found else ("LOG", line)
    logger.log(_POSTGRES_LEVELS.get(level, logging.INFO), "postgres: %s", words)
