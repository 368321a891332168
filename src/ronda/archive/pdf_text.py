"""What a PDF says, page by page, as far as letters and time reach. To be called where a crash costs nobody anything."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pypdf import PdfReader

logger = logging.getLogger(__name__)

# A word that a line of print was too short for.
_DIVIDED = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010]\n(?=[^\W\d_])")
MOST_PAGES = 5000


def title_and_text(body: bytes, *, most_letters: int, most_seconds: float) -> tuple[str, str]:
    """As far as it could be read: what is behind a broken page, or takes too long, is left out."""
    from pypdf import PdfReader

    # It tells of every oddity of a file, and files are odd.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    deadline = time.monotonic() + most_seconds
    try:
        reader = PdfReader(BytesIO(body))
        title = str(reader.metadata.title or "") if reader.metadata else ""
    except Exception as error:  # noqa: BLE001  (it promises no errors of its own; a file may be anything)
        logger.info("a PDF cannot be read: %r", error)
        return "", ""
    kept: list[str] = []
    letters = 0
    for text in _pages(reader):
        kept.append(text)
        letters += len(text)
        if letters >= most_letters or time.monotonic() > deadline:
            break
    return title, _DIVIDED.sub("", "\n\n".join(kept))[:most_letters]


def _pages(reader: PdfReader) -> Iterator[str]:
    try:
        for page in reader.pages[:MOST_PAGES]:
            yield page.extract_text()
    except Exception as error:  # noqa: BLE001  (as above)
        logger.info("a PDF cannot be read further: %r", error)
