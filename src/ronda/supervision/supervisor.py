"""`ronda up`: starts PostgreSQL and the roles of this machine, keeps them alive, and ends them all."""

from __future__ import annotations

import asyncio
import json
import logging
import os
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
from ronda.database.errors import DatabaseUnreachable
from ronda.supervision.errors import CannotPrepare, PortInUse
from ronda.supervision.home import HomeLock
from ronda.supervision.managed import Launched, ManagedProcess
from ronda.supervision.outlet import Outlet
from ronda.supervision.postgres_keeper import STOP_SECONDS as POSTGRES_STOP_SECONDS
from ronda.supervision.postgres_keeper import PostgresKeeper
from ronda.supervision.preparing import Prepared
from ronda.supervision.reporting import Reporter
from ronda.supervision.roles import RoleOfProcess, need_database
from ronda.supervision.states import ProcessState
from ronda.supervision.token_keeper import TokenKeeper

logger = logging.getLogger(__name__)

TICK_SECONDS = 0.2
REPORT_SECONDS = 1.0
STOP_GRACE_SECONDS = 10


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
        self.children: list[ManagedProcess] = []
        self.reporter: Reporter | None = None
        self.postgres: PostgresKeeper | None = None
        if need_database(roles):
            self.reporter = Reporter(database_url(configuration), self.instance)
            if not configuration.database_url:
                self.postgres = PostgresKeeper(EmbeddedPostgres(configuration.home), self.reporter)
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
            if self.postgres:
                await self.postgres.start()
            prepared = await self._prepare() if self.reporter else None
            if self.stopping.is_set():
                return
            self._start_children(prepared)
            announcing = asyncio.create_task(self._announce_when_up(prepared)) if prepared else None
            await self._watch()
            if announcing:
                announcing.cancel()
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

    def _start_children(self, prepared: Prepared | None) -> None:
        configuration = self.configuration
        if prepared:
            # RONDA_TOKEN and RONDA_URL are the commands': here, local nodes have the token of the home and our web.
            url = "" if self._listener else configuration.url
            configuration = replace(configuration, secret_key=prepared.secret_key, token="", url=url)
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

    async def _announce_when_up(self, prepared: Prepared) -> None:
        """Whoever follows the link at once shall find somebody there: a web process beats once it has answered."""
        for child in self.children:
            if child.role == "web":
                await child.has_lived.wait()
        self.announce(prepared)

    async def _watch(self) -> None:
        reporting = asyncio.create_task(self._report_regularly(self.reporter)) if self.reporter else None
        try:
            while not self.stopping.is_set():
                if self.postgres and self.postgres.look_after():
                    for child in self.children:
                        child.forgive()
                for child in self.children:
                    if event := child.tick():
                        logger.warning("%s %s", child.name, event)
                with suppress(TimeoutError):
                    await asyncio.wait_for(self.stopping.wait(), TICK_SECONDS)
        finally:
            if self.reporter and reporting:
                reporting.cancel()
                with suppress(asyncio.CancelledError):
                    await reporting
                await self._report_the_end(self.reporter)

    async def _report_regularly(self, reporter: Reporter) -> None:
        tokens = TokenKeeper(
            self.configuration.home,
            reporter=reporter,
            environment=self._child_environment,
            on_issued=self._forgive_nodes,
        )
        while True:
            for name in await reporter.report(self._all()):
                logger.info("restarting %s: somebody asked for it", name)
                self._stop_politely(self._named(name))
            await tokens.look_after()
            await asyncio.sleep(REPORT_SECONDS)

    async def _report_the_end(self, reporter: Reporter) -> None:
        for process in self._all():
            process.state = ProcessState.STOPPED
        await reporter.report(self._all())
        await reporter.close()

    def _forgive_nodes(self) -> None:
        """Their old token was refused, and they ended; a new start reads the new one."""
        for child in self.children:
            if child.role == "node":
                child.forgive()

    def _all(self) -> list[ManagedProcess]:
        return [*self.children, *([self.postgres.process] if self.postgres else [])]

    def _named(self, name: str) -> ManagedProcess:
        return next(process for process in self._all() if process.name == name)

    def _stop_politely(self, process: ManagedProcess) -> None:
        if self.postgres and process is self.postgres.process:
            self.postgres.ask_to_stop()
        else:
            process.ask_to_stop(signal.SIGTERM, STOP_GRACE_SECONDS)

    async def _end_everything(self) -> None:
        for child in self.children:
            self._stop_politely(child)
        await self._wait_for(self.children, STOP_GRACE_SECONDS)
        if self.postgres:
            self.postgres.ask_to_stop()
            await self._wait_for([self.postgres.process], POSTGRES_STOP_SECONDS)
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
