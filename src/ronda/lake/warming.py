"""Opens the lake before it is needed: whoever waits for somebody else's answer first has it ready then."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from ronda.lake.opening import Purpose, cursor, is_open
from ronda.lake.reading import looking_up

logger = logging.getLogger(__name__)


@contextmanager
def warming() -> Iterator[None]:
    """In a thread of its own, for looking up and for writing; it ends with what is done meanwhile.

    What goes wrong is told to whoever needs it later.
    """
    if is_open(Purpose.LOOKING_UP) and is_open(Purpose.WRITING):
        yield
        return
    thread = threading.Thread(target=_open, name="warming the lake", daemon=True)
    thread.start()
    try:
        yield
    finally:
        thread.join()


def _open() -> None:
    try:
        with looking_up():
            pass
        cursor(Purpose.WRITING).close()
    except Exception:  # a thread's border: opening it again says the same, to somebody who listens
        logger.info("the lake could not be opened early", exc_info=True)
    finally:
        connection.close()
