"""One child as its supervisor sees it: started, listened to, judged, restarted."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from ronda.supervision.states import ProcessState

HANG_SECONDS = 15
# From start to the first heartbeat: a cold disk and a loaded machine take their time.
START_SECONDS = 60
FIRST_DELAY_SECONDS = 0.5
LONGEST_DELAY_SECONDS = 8.0
# Having lived this long, a death is not one of a series.
STEADY_SECONDS = 30
FAILURES_TO_BE_FAILING = 3
LAST_WORDS_LINES = 20


@dataclass(frozen=True)
class Launched:
    popen: subprocess.Popen[bytes]
    beat_fd: int | None


class ManagedProcess:
    def __init__(
        self, *, name: str, role: str, launch: Callable[[], Launched], show: Callable[[str], object]
    ) -> None:
        self.name = name
        self.role = role
        self.state = ProcessState.STARTING
        self.doing = ""
        self.restarts = 0
        self.last_words: deque[str] = deque(maxlen=LAST_WORDS_LINES)
        self.started_at: datetime | None = None
        self.beat_at: datetime | None = None
        self.has_lived = asyncio.Event()
        self._launch = launch
        self._show = show
        self._launched: Launched | None = None
        self._started = self._beaten = 0.0
        self._failures = 0
        self._restart_at = 0.0
        self._is_wanted_dead = False
        self._kill_at = 0.0

    @property
    def pid(self) -> int | None:
        return self._launched.popen.pid if self._launched else None

    @property
    def is_running(self) -> bool:
        return self._launched is not None

    def start(self) -> None:
        self._launched = self._launch()
        self._started = self._beaten = time.monotonic()
        self._is_wanted_dead = False
        self.started_at = datetime.now(UTC)
        self.beat_at = None
        self.state = (
            ProcessState.STARTING if self._failures < FAILURES_TO_BE_FAILING else ProcessState.FAILING
        )
        loop = asyncio.get_running_loop()
        if stdout := self._launched.popen.stdout:
            os.set_blocking(stdout.fileno(), False)
            loop.add_reader(stdout.fileno(), _LineReader(stdout.fileno(), self._heard_words).read)
        if self._launched.beat_fd is not None:
            os.set_blocking(self._launched.beat_fd, False)
            loop.add_reader(
                self._launched.beat_fd, _LineReader(self._launched.beat_fd, self._heard_beat).read
            )

    def _heard_words(self, line: str) -> None:
        self.last_words.append(line[:1000])
        self._show(line)

    def _heard_beat(self, line: str) -> None:
        with suppress(ValueError):  # the rest of a line cut off by a kill
            self.doing = str(json.loads(line)["doing"])
        self.note_life()

    def note_life(self) -> None:
        self._beaten = time.monotonic()
        self.beat_at = datetime.now(UTC)
        self.has_lived.set()
        if time.monotonic() - self._started > STEADY_SECONDS:
            self._failures = 0
        if self._failures < FAILURES_TO_BE_FAILING:
            self.state = ProcessState.RUNNING

    def tick(self) -> str:
        """Look after the child; says what happened, for the log ('' if nothing did)."""
        now = time.monotonic()
        if self._launched is None:
            if now >= self._restart_at:
                self.restarts += 1
                self.start()
                return f"restarted as process {self.pid}"
            return ""
        code = self._launched.popen.poll()
        if code is not None:
            return self._bury(code)
        if self._is_wanted_dead:
            if now >= self._kill_at:
                self._launched.popen.kill()
            return ""
        allowed = HANG_SECONDS if self.beat_at else START_SECONDS
        if self._launched.beat_fd is not None and now - self._beaten > allowed:
            self._launched.popen.kill()
            self._is_wanted_dead = True
            return f"gave no sign of life for {allowed} s and was killed"
        return ""

    def _bury(self, code: int) -> str:
        lived = time.monotonic() - self._started
        was_asked = self._is_wanted_dead and code in (0, -signal.SIGTERM)
        self._failures = 0 if was_asked or lived > STEADY_SECONDS else self._failures + 1
        delay = min(FIRST_DELAY_SECONDS * 2 ** max(0, self._failures - 1), LONGEST_DELAY_SECONDS)
        self._restart_at = time.monotonic() + (0 if was_asked else delay)
        self.state = (
            ProcessState.FAILING if self._failures >= FAILURES_TO_BE_FAILING else ProcessState.STARTING
        )
        self.doing = ""
        self.release()
        end = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
        return f"{end} after {lived:.0f} s; starting it again in {0 if was_asked else delay:g} s"

    def release(self) -> None:
        """Let go of an ended child's pipes, after hearing its last words."""
        if self._launched is None:
            return
        loop = asyncio.get_running_loop()
        if stdout := self._launched.popen.stdout:
            _LineReader(stdout.fileno(), self._heard_words).read()
            loop.remove_reader(stdout.fileno())
            stdout.close()
        if self._launched.beat_fd is not None:
            loop.remove_reader(self._launched.beat_fd)
            os.close(self._launched.beat_fd)
        self._launched = None

    def forgive(self) -> None:
        """What it died of is over (the database is back): no need to wait any longer."""
        self._failures = 0
        self._restart_at = 0.0

    def ask_to_stop(self, how: signal.Signals, grace_seconds: float) -> None:
        if self._launched and self._launched.popen.poll() is None:
            self._is_wanted_dead = True
            self._kill_at = time.monotonic() + grace_seconds
            self._launched.popen.send_signal(how)

    def has_ended(self) -> bool:
        return self._launched is None or self._launched.popen.poll() is not None

    def kill(self) -> None:
        if self._launched:
            self._launched.popen.kill()


class _LineReader:
    """Cuts what a pipe brings into lines; a reader of the event loop."""

    def __init__(self, fd: int, take: Callable[[str], None]) -> None:
        self.fd = fd
        self.take = take
        self.rest = b""

    def read(self) -> None:
        try:
            data = os.read(self.fd, 65536)
        except BlockingIOError:
            return
        if not data:
            asyncio.get_running_loop().remove_reader(self.fd)
        *lines, self.rest = (self.rest + data).split(b"\n")
        if len(self.rest) > 65536:  # a child that writes without line ends must not fill our memory
            lines, self.rest = [*lines, self.rest], b""
        for line in lines:
            self.take(line.decode(errors="replace"))
