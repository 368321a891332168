"""Live updates of a session as server-sent events: what there is to see, each time it changes."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections.abc import AsyncIterator, Callable
from typing import Any, TypeVar

from django.db import DatabaseError, connection
from django.http import HttpResponseBase, StreamingHttpResponse

from ronda.analysis.queries import pulse
from ronda.analysis.sessions import note_life

PAUSE_SECONDS = 0.5
# Proxies cut lines that are silent; and who listens is a client that is there.
SIGN_OF_LIFE_SECONDS = 10.0
# Then the browser connects again by itself: no connection is for ever.
LONGEST_SECONDS = 600.0

Show = Callable[[], dict[str, Any] | None]
T = TypeVar("T")


def stream_events(session_id: uuid.UUID, show: Show) -> HttpResponseBase:
    """`show` gives what is told, or None when the session has ended."""
    response = StreamingHttpResponse(_events(session_id, show), content_type="text/event-stream")
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    return response


async def _events(session_id: uuid.UUID, show: Show) -> AsyncIterator[bytes]:
    end = time.monotonic() + LONGEST_SECONDS
    told_at = 0.0
    known: object = object()
    yield b"retry: 1000\n\n"
    while time.monotonic() < end:
        seen = await asyncio.to_thread(_looked, session_id, time.monotonic() - told_at > SIGN_OF_LIFE_SECONDS)
        if seen is not None and seen != known:
            known = seen
            shown = await asyncio.to_thread(_with_connection, show) if seen else None
            yield _event("session", shown) if shown else _event("end", {"id": str(session_id)})
            told_at = time.monotonic()
            if not shown or shown["state"] in ("answered", "expired"):
                return
        elif time.monotonic() - told_at > SIGN_OF_LIFE_SECONDS:
            yield b": still here\n\n"
            told_at = time.monotonic()
        await asyncio.sleep(PAUSE_SECONDS)


def _event(name: str, data: dict[str, Any]) -> bytes:
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False, default=str)}\n\n".encode()


def _looked(session_id: uuid.UUID, is_sign_due: bool) -> tuple[Any, ...] | None:
    """None while the database is away: nothing is known then, least of all that the session has ended."""

    def look() -> tuple[Any, ...]:
        if is_sign_due:
            note_life(session_id)
        return pulse(session_id) or ()

    try:
        return _with_connection(look)
    except DatabaseError:
        return None


def _with_connection(work: Callable[[], T]) -> T:
    """In a thread of the pool's: its connection goes back when it is done."""
    try:
        return work()
    finally:
        connection.close()
