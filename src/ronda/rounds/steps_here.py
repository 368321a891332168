"""Steps of visits in the web process itself, right after the upload that made them due.

A few answers are read sooner than a worker could be told of them. It is a shortcut and no more: what is lost here with
the process is found by the leader like every other step, and what is much goes to the workers.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from queue import SimpleQueue
from threading import Lock, Thread

from django.db import DatabaseError, connection, transaction

logger = logging.getLogger(__name__)

# Reading takes about half a millisecond a page, during which others wait for this process.
MOST_PAGES = 64
# Whoever comes when so many visits wait is better off with the workers.
MOST_WAITING = 3


class StepsHere:
    """One thread, one visit after the other."""

    def __init__(self, go_on: Callable[[int], None]) -> None:
        self._go_on = go_on
        self._queue: SimpleQueue[int] = SimpleQueue()
        self._waiting: set[int] = set()
        self._lock = Lock()

    def start(self) -> None:
        Thread(target=self._run, name="steps", daemon=True).start()

    def has_room(self) -> bool:
        return len(self._waiting) < MOST_WAITING

    def offer(self, visit_id: int) -> None:
        """Once its answers can be seen. One that waits already will see what is new."""
        with self._lock:
            if visit_id in self._waiting:
                return
            self._waiting.add(visit_id)
        self._queue.put(visit_id)

    def _run(self) -> None:
        while True:
            visit_id = self._queue.get()
            with self._lock:
                self._waiting.discard(visit_id)
            try:
                self._go_on(visit_id)
            except DatabaseError as error:
                logger.warning("visit %s waits for a worker: %s", visit_id, error)
            except Exception:
                logger.exception("visit %s waits for a worker", visit_id)
            finally:
                connection.close()


_here: StepsHere | None = None


def start(go_on: Callable[[int], None]) -> None:
    """From now on this process takes small steps itself."""
    global _here
    _here = StepsHere(go_on)
    _here.start()


def take(visit_id: int, *, pages: int, waiting: int) -> bool:
    """Whether this process goes on with the visit, once the transaction is committed; else a worker has to.

    Where much is `waiting` to be fetched, no node waits for what these pages lead to, and more uploads are to come.
    """
    here = _here
    if here is None or max(pages, waiting) > MOST_PAGES or not here.has_room():
        return False
    transaction.on_commit(lambda: here.offer(visit_id))
    return True
