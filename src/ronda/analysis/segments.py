"""Segments on disk: RONDA_HOME/sessions/<session>/<table>/<number>.parquet. Acknowledged is fsynced, folders too.

A folder exists only while its session has a row: rows are made before folders and deleted behind them. So a folder
without a row is what a killed process left, and may go.
"""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Collection
from pathlib import Path

from django.conf import settings

INCOMING, SPILL = ".incoming", ".spill"


def sessions_folder() -> Path:
    home: Path = settings.RONDA.home
    return home / "sessions"


def folder_of(session_id: uuid.UUID) -> Path:
    return sessions_folder() / str(session_id)


def segment_path(session_id: uuid.UUID, table: str, number: int) -> Path:
    return folder_of(session_id) / table / f"{number}.parquet"


def incoming_path(session_id: uuid.UUID, suffix: str) -> Path:
    """For what is not acknowledged yet, under a name nobody else has."""
    folder = folder_of(session_id) / INCOMING
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{uuid.uuid4().hex}{suffix}"


def spill_folder(session_id: uuid.UUID) -> Path:
    """Where engines put what does not fit into memory: it goes with the session, however its worker ended."""
    return folder_of(session_id) / SPILL


def put_in_place(part: Path, target: Path) -> None:
    """Durable when this returns: the file, its name, and the folders on the way to it."""
    make_durable_folder(target.parent)
    _fsync(part)
    part.replace(target)
    _fsync(target.parent)


def make_durable_folder(folder: Path) -> None:
    if folder.is_dir():
        return
    make_durable_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    _fsync(folder.parent)


def _fsync(path: Path) -> None:
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def remove(session_id: uuid.UUID) -> None:
    """All files of a session; again and again, if need be."""
    folder = folder_of(session_id)
    while folder.exists():
        # A writer that does not know yet may put a file in meanwhile: then the folder is not empty, and it goes on.
        shutil.rmtree(folder, ignore_errors=True)


def remove_incoming(session_id: uuid.UUID) -> None:
    """What was begun and never acknowledged, and what a killed engine left."""
    for name in (INCOMING, SPILL):
        shutil.rmtree(folder_of(session_id) / name, ignore_errors=True)


def folders() -> set[uuid.UUID]:
    """The sessions that have files on this machine."""
    found = set()
    for path in sessions_folder().glob("*-*-*-*-*"):
        try:
            found.add(uuid.UUID(path.name))
        except ValueError:
            continue
    return found


def remove_strangers(known: Collection[uuid.UUID], present: Collection[uuid.UUID]) -> int:
    """`present` was listed before `known` was asked for: a session that is made meanwhile is in neither."""
    strangers = set(present) - set(known)
    for session_id in strangers:
        remove(session_id)
    return len(strangers)
