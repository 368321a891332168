"""What the leader does for the archive."""

from __future__ import annotations

from ronda.archive.repair import close_abandoned_files
from ronda.archive.services import archive_folder
from ronda.archive.texts import start_reading
from ronda.supervision.duties import duty


@duty(every_seconds=2)
def read_texts_into_the_search() -> None:
    start_reading()


@duty(every_seconds=60)
def put_files_in_order() -> None:
    """Soon after a crash, and not only when the next file is begun: those of this machine that nobody holds."""
    close_abandoned_files(archive_folder())
