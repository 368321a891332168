"""Opens the lake before it is needed: whoever waits for somebody else's answer first has it ready then."""

from __future__ import annotations

import logging
import threading

from django.db import connection

from ronda.lake.opening import cursor
from ronda.lake.reading import reading

logger = logging.getLogger(__name__)


def warm() -> threading.Thread:
    """In a thread of its own, for reading and for writing. What goes wrong is told to whoever needs it later."""
    thread = threading.Thread(target=_open, name="warming the lake", daemon=True)
    thread.start()
    return thread


def _open() -> None:
    try:
        with reading():
            pass
        cursor(is_read_only=False).close()
    except Exception:  # a thread's border: opening it again says the same, to somebody who listens
        logger.info("the lake could not be opened early", exc_info=True)
    finally:
        connection.close()
