"""Files that people hand in for a job to read: kept in the home of the web process until the job has read them."""

from __future__ import annotations

import os
import shutil
import socket
import time
import uuid
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from django.conf import settings

from ronda.jobs.errors import UploadGone, UploadNotKept
from ronda.jobs.models import OPEN_STATES, Job

# A file on its way in has no job yet; it is written to all the time, and its job follows at once.
LEAVE_ALONE_SECONDS = 3600


@dataclass(frozen=True)
class HandedIn:
    """The files of one kind of job, whose arguments name them as `upload`."""

    kind: str
    ending: str

    def keep(self, body: BinaryIO) -> uuid.UUID:
        """The file is on the disk when this returns."""
        self._clear_away()
        upload = uuid.uuid4()
        path = self._path(upload)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                shutil.copyfileobj(body, file, 1024 * 1024)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            with suppress(OSError):
                path.unlink()
            raise UploadNotKept(f"The file could not be kept: {error.strerror}.") from error
        return upload

    def path(self, upload: uuid.UUID, name: str) -> Path:
        """Whoever has read it deletes it. `name`: what its owner calls it."""
        path = self._path(upload)
        if not path.exists():
            raise UploadGone(f"{name} is not on {socket.gethostname()}, where this worker runs.")
        return path

    def _path(self, upload: uuid.UUID) -> Path:
        return self._folder() / f"{upload}.{self.ending}"

    def _folder(self) -> Path:
        home: Path = settings.RONDA.home
        return home / "imports"

    def _clear_away(self) -> None:
        """Files of jobs that failed, or were cancelled before they began."""
        wanted = Job.objects.filter(kind=self.kind, state__in=OPEN_STATES)
        uploads = {str(upload) for upload in wanted.values_list("arguments__upload", flat=True)}
        for path in self._folder().glob(f"*.{self.ending}"):
            if path.stem not in uploads and _is_left(path):
                path.unlink(missing_ok=True)


def _is_left(path: Path) -> bool:
    try:
        return time.time() - path.stat().st_mtime > LEAVE_ALONE_SECONDS
    except FileNotFoundError:  # somebody else was quicker
        return False
