"""After a crash: files nobody holds are cut back to what was acknowledged, and closed."""

from __future__ import annotations

import fcntl
import logging
import os
import socket
from pathlib import Path

from django.utils import timezone

from ronda.archive.models import WarcFile

logger = logging.getLogger(__name__)


def close_abandoned_files(folder: Path) -> None:
    """Of this machine only: others' disks are not ours to judge."""
    for row in WarcFile.objects.filter(closed_at=None, machine=socket.gethostname()):
        path = folder / row.name
        if path.exists() and _close(path, row.size_bytes):
            WarcFile.objects.filter(pk=row.pk).update(closed_at=timezone.now())


def _close(path: Path, size_bytes: int) -> bool:
    with path.open("r+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False  # its process lives
        excess = path.stat().st_size - size_bytes
        if excess > 0:
            logger.warning("cutting %d bytes off %s: they were never acknowledged", excess, path.name)
            file.truncate(size_bytes)
            os.fsync(file.fileno())
    return True
