"""Long answers, piece by piece. A thread of its own makes the pieces: the database's cursors belong to one thread."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor

from django.db import connection
from django.http import HttpResponseBase, StreamingHttpResponse


def stream(pieces: Iterator[bytes], content_type: str) -> HttpResponseBase:
    """In bounded memory: Django would gather what an ordinary iterator gives before it sends any of it."""
    return StreamingHttpResponse(_made_in_a_thread(pieces), content_type=content_type)


async def _made_in_a_thread(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(1, thread_name_prefix="stream") as thread:
        try:
            while (piece := await loop.run_in_executor(thread, next, pieces, None)) is not None:
                yield piece
        finally:
            await loop.run_in_executor(thread, _end, pieces)


def _end(pieces: Iterator[bytes]) -> None:
    """In the thread that made them: a transaction they hold ends on its own connection, not on another thread's."""
    try:
        if isinstance(pieces, Generator):
            pieces.close()
    finally:
        connection.close()
