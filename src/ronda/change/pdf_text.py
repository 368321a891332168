"""The text of a PDF, read by a process of its own with a cap on time and memory: files can be made to keep it busy.

Run as a program it reads the file from its standard input and writes the text to its standard output.
"""

from __future__ import annotations

import io
import logging
import resource
import subprocess
import sys
from functools import lru_cache

MOST_SECONDS = 20
MOST_MEMORY_BYTES = 1024**3
MOST_PAGES = 500
MOST_CHARACTERS = 2 * 1024 * 1024


@lru_cache(maxsize=4)  # scored and compared, one after the other
def pdf_lines(payload: bytes) -> tuple[str, ...] | None:
    """None: it cannot be read, or not in time."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "ronda.change.pdf_text"],
            input=payload,
            capture_output=True,
            timeout=MOST_SECONDS,
            check=True,
        )
    except (subprocess.SubprocessError, OSError):
        return None
    lines = (" ".join(line.split()) for line in done.stdout.decode("utf-8", "replace").splitlines())
    return tuple(line for line in lines if line)


def main() -> None:
    # These end it even if whoever asked is gone.
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY_BYTES, MOST_MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    from pypdf import PdfReader

    logging.disable()  # what is wrong with strangers' files is not for our log
    written = 0
    for page in PdfReader(io.BytesIO(sys.stdin.buffer.read())).pages[:MOST_PAGES]:
        text = page.extract_text()[: MOST_CHARACTERS - written]
        written += len(text)
        sys.stdout.buffer.write(text.encode("utf-8", "replace") + b"\n")


if __name__ == "__main__":
    main()
