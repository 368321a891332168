"""The child's side of supervision: how a process of a role starts, beats, and ends with its supervisor."""

from __future__ import annotations

import argparse
import importlib
import json
import logging
import os
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from ronda import configuration, logs
from ronda.configuration import Configuration
from ronda.processes import die_with_parent
from ronda.supervision.roles import role_named

logger = logging.getLogger(__name__)

BEAT_SECONDS = 3


@dataclass(frozen=True)
class Child:
    """What a role's entry gets: who it is, and the line to its supervisor."""

    role: str
    name: str
    instance: str
    beat_fd: int
    listen_fd: int

    @property
    def full_name(self) -> str:
        return f"{self.name}@{socket.gethostname()}"

    def beat(self, doing: str = "") -> None:
        """Tell the supervisor that the main loop still turns, and what it turns for."""
        line = json.dumps({"doing": doing[:500]}).encode() + b"\n"
        # A full pipe means the supervisor is busy: a beat more or less does not matter.
        with suppress(BlockingIOError):
            os.write(self.beat_fd, line)


def main() -> None:
    # At once: everything here survives it, and nothing may outlive the supervisor and hold its port.
    die_with_parent(signal.SIGKILL)
    child = _from_arguments()
    settings = configuration.load()
    logs.configure(process_name=child.name, log_format=settings.log_format, log_level=settings.log_level)
    os.set_blocking(child.beat_fd, False)
    os.environ["DJANGO_SETTINGS_MODULE"] = "ronda.site.settings"
    try:
        _entry_of(child.role)(child, settings)
    except KeyboardInterrupt:
        logger.debug("interrupted")
    except Exception:
        logger.exception("%s ends", child.name)
        raise SystemExit(1) from None


def _entry_of(role: str) -> Callable[[Child, Configuration], None]:
    module, function = role_named(role).entry.split(":")
    entry: Callable[[Child, Configuration], None] = getattr(importlib.import_module(module), function)
    return entry


def _from_arguments() -> Child:
    parser = argparse.ArgumentParser(description="A process of `ronda up`; not started by hand.")
    parser.add_argument("role")
    parser.add_argument("--name", required=True)
    parser.add_argument("--instance", required=True)
    parser.add_argument("--beat-fd", type=int, required=True)
    parser.add_argument("--listen-fd", type=int, default=-1)
    return Child(**vars(parser.parse_args()))


if __name__ == "__main__":
    main()
