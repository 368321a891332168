"""Who waits for work stands in line here, and is called when some is queued, by whichever process. In a line of their
own stand those who hold work, to hear at once that it is wanted no longer.

Both are told through PostgreSQL; each web process listens. Whoever is called and finds work calls the next, so that a
thousand that wait do not all come at once. Where nobody can listen, as behind some poolers, time alone calls.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition, Event, Lock, Thread

import psycopg
from django.db import connection, transaction

logger = logging.getLogger(__name__)

WORK_CHANNEL = "ronda_work"
RECALL_CHANNEL = "ronda_recall"
# Not all of them: some may be told that this work is not for them.
CALLED_AT_ONCE = 4
AGAIN_SECONDS = 2.0
LONGEST_LOOK_SECONDS = 0.5


class Line:
    """Those who wait in this process, each in a thread, first come first called."""

    def __init__(self) -> None:
        self._changed = Condition()
        # In the order they came, each with who it is.
        self._waiting: dict[Event, uuid.UUID | None] = {}
        self._count = 0
        self._looking = Lock()
        self.is_closed = False

    @property
    def count(self) -> int:
        """How often somebody was called. Taken before looking for work, none slips in between looking and waiting."""
        return self._count

    def __len__(self) -> int:
        return len(self._waiting)

    def wait(self, *, since: int, seconds: float, who: uuid.UUID | None = None) -> None:
        """Until called, but no longer than that; not at all if there was a call since."""
        place = Event()
        with self._changed:
            if self._count != since or self.is_closed:
                return
            self._waiting[place] = who
        place.wait(seconds)
        with self._changed:
            self._waiting.pop(place, None)

    def call(self, number: int = CALLED_AT_ONCE, *, besides: uuid.UUID | None = None) -> None:
        """So many, and `besides` them somebody for whom there may be something that is not for others."""
        with self._changed:
            self._count += 1
            named = [place for place, who in self._waiting.items() if besides and who == besides]
            for place in dict.fromkeys([*list(self._waiting)[:number], *named]):
                del self._waiting[place]
                place.set()

    def call_all(self) -> None:
        self.call(len(self._waiting))

    @contextmanager
    def look_alone(self) -> Iterator[None]:
        """Who was called looks while nobody else does: the second then sees what the first has left. But one whose
        database does not answer keeps nobody from looking."""
        is_mine = self._looking.acquire(timeout=LONGEST_LOOK_SECONDS)
        try:
            yield
        finally:
            if is_mine:
                self._looking.release()

    def close(self) -> None:
        """Everybody is sent away. For a signal's handler: it must not wait for a lock that its own thread may hold."""
        self.is_closed = True
        for place in tuple(self._waiting):
            place.set()


line = Line()
holders = Line()
CALLS: dict[str, Callable[[], None]] = {WORK_CHANNEL: line.call, RECALL_CHANNEL: holders.call_all}
_is_listening = Event()


def tell() -> None:
    """URLs were queued: those who wait are called as soon as they can see them. Call it in the same transaction."""
    _notify(WORK_CHANNEL)


def tell_holders() -> None:
    """Something that a node may hold is wanted no longer, or a node is to rest. Call it in the same transaction."""
    _notify(RECALL_CHANNEL)


def _notify(channel: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_notify(%s, '')", [channel])
    if not _is_listening.is_set():
        transaction.on_commit(CALLS[channel])


def send_away() -> None:
    """Everybody in both lines: this process ends."""
    line.close()
    holders.close()


def listen() -> None:
    """From now on, in a thread of its own."""
    Thread(target=_listen, name="arrivals", daemon=True).start()


def _listen() -> None:
    while True:
        try:
            with psycopg.connect(**connection.get_connection_params(), autocommit=True) as database:
                hear(database)
        except psycopg.Error as error:
            logger.info("cannot hear of new work: %s", error)
        time.sleep(AGAIN_SECONDS)


def hear(database: psycopg.Connection) -> None:
    """Calls whoever waits at each notification, until the connection is gone."""
    try:
        for channel in CALLS:
            database.execute(f"LISTEN {channel}")
        _is_listening.set()
        for notice in database.notifies():
            CALLS[notice.channel]()
    finally:
        _is_listening.clear()
