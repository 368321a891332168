"""Files that commands read and write by name: what cannot be is one line, not a traceback."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ronda.errors import InvalidInput

STDIN = "-"


def check_writable(path: Path) -> None:
    """Before anything is asked for: it is written beside and renamed, so its folder must take it."""
    if path.is_dir() or not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise InvalidInput(f"{path} cannot be written: give a file in a folder that is there and yours.")


def write_text(path: Path, text: str) -> None:
    """Line ends stay as they are."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}.") from None


def read_text(name: str) -> str:
    """Of a file, or of standard input: UTF-8, whatever the terminal speaks."""
    try:
        data = sys.stdin.buffer.read() if name == STDIN else Path(name).read_bytes()
        return data.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"Cannot read {name}: {error}.") from None
