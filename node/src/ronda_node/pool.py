"""Connections kept open between two requests to the same host."""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

from ronda_node.connection import Connection

IDLE_SECONDS = 30.0
MOST_IDLE = 256


class Door(NamedTuple):
    """What must be equal for a connection to serve: the name too, as the certificate was checked for it."""

    scheme: str
    host: str
    port: int
    address: str


class Pool:
    """One idle connection a door is enough: a host is asked one thing at a time."""

    def __init__(self, *, idle_seconds: float = IDLE_SECONDS, most_idle: int = MOST_IDLE) -> None:
        self._idle_seconds = idle_seconds
        self._most_idle = most_idle
        self._idle: OrderedDict[Door, Connection] = OrderedDict()

    def take(self, door: Door) -> Connection | None:
        connection = self._idle.pop(door, None)
        return connection if connection and connection.is_open else None

    def keep(self, door: Door, connection: Connection) -> None:
        if not connection.is_open:
            return
        if other := self._idle.pop(door, None):
            other.close()
        self._idle[door] = connection
        connection.on_close = lambda closed: self._forget(door, closed)
        connection.rest(self._idle_seconds)
        while len(self._idle) > self._most_idle:
            self._idle.popitem(last=False)[1].close()

    def close(self) -> None:
        while self._idle:
            self._idle.popitem()[1].abort()

    def _forget(self, door: Door, connection: Connection) -> None:
        if self._idle.get(door) is connection:
            del self._idle[door]
