"""What the leader does for the archive."""

from __future__ import annotations

from ronda.archive.texts import start_reading
from ronda.supervision.duties import duty


@duty(every_seconds=2)
def read_texts_into_the_search() -> None:
    start_reading()
