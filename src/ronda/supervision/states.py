"""The states of a process; apart from the models, as the supervisor runs without Django."""

from __future__ import annotations

from enum import StrEnum


class ProcessState(StrEnum):
    STARTING = "starting"
    RUNNING = "running"
    FAILING = "failing"
    STOPPED = "stopped"
