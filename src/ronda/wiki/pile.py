"""What was read and is not stored yet, and the thread that stores it while the next is being read."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Self

from django.db import connection

from ronda.wiki.revisions import Revision
from ronda.wiki.storing import Cursor, Page, store

# A commit makes files: not for every page of an answer, but often enough that a kill costs little.
COMMIT_REVISIONS = 2000
COMMIT_BYTES = 32 * 1024**2
COMMIT_SECONDS = 5.0


class Pile:
    """Stored piece by piece, in order: a cursor is never there before the rows it speaks of, or before an older one."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._revisions: list[Revision] = []
        self._size_bytes = 0
        self._began_at = time.monotonic()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="storing")
        self._storing: Future[None] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """What is being stored is waited for, whatever happened."""
        self._thread.shutdown()
        if error is None:
            self._settle()

    def add(self, revisions: Sequence[Revision]) -> None:
        self._revisions += revisions
        self._size_bytes += sum(len(one.text or "") for one in revisions)

    @property
    def is_full(self) -> bool:
        return (
            len(self._revisions) >= COMMIT_REVISIONS
            or self._size_bytes >= COMMIT_BYTES
            or time.monotonic() - self._began_at >= COMMIT_SECONDS
        )

    def store(self, cursor: Cursor) -> None:
        """Begins as soon as the piece before is stored; raises what went wrong with that one."""
        self._settle()
        self._storing = self._thread.submit(_store, self._page, self._revisions, cursor)
        self._revisions, self._size_bytes, self._began_at = [], 0, time.monotonic()

    def _settle(self) -> None:
        if self._storing is not None:
            self._storing.result()
            self._storing = None


def _store(page: Page, revisions: Sequence[Revision], cursor: Cursor) -> None:
    try:
        store(page, revisions, cursor)
    finally:
        connection.close()  # this thread's own
