"""What a page says: its title, main text and language. A process of its own does it, as some pages never let go.

A few thousand nested elements keep any HTML parser busy for minutes, and PDFs can be worse: it is given seconds and a
cap on memory, and then ended. Pure: knows no database.
"""

from __future__ import annotations

import multiprocessing
import os
import re
import resource
import signal
from dataclasses import dataclass
from multiprocessing.connection import Connection
from types import TracebackType

from ronda.archive.pdf_text import title_and_text
from ronda.archive.text_types import Kind
from ronda.processes import die_with_parent

MOST_SECONDS = 10.0
# Of a long PDF, what was read until then is worth having.
PDF_SECONDS = 7.0
# Of address space, libraries included.
MOST_MEMORY_BYTES = 2 * 1024**3
# Fetching and keeping go before finding.
LESS_URGENT = 5
TITLE_LENGTH = 300
# Shorter texts do not tell their language.
LEAST_LETTERS = 20
# What PostgreSQL cannot hold (PDFs have halves of letters, too), and the signs that search puts around what it found.
_UNWANTED = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ue000\ue001]")


@dataclass(frozen=True)
class Extracted:
    title: str = ""
    text: str = ""
    language: str = ""


@dataclass(frozen=True)
class Page:
    body: bytes
    charset: str
    kind: Kind
    most_letters: int


def extract(page: Page) -> Extracted:
    """Takes as long as it takes: see `Extractor`."""
    if page.kind is Kind.PDF:
        read = title_and_text(page.body, most_letters=page.most_letters, most_seconds=PDF_SECONDS)
        return _told(*read, page.most_letters)
    from ronda.change.encodings import encoding_of, text_in

    encoding = encoding_of(page.body, page.charset, is_markup=page.kind is Kind.HTML)
    if page.kind is Kind.PLAIN:
        return _told("", text_in(page.body, encoding), page.most_letters)
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.html import HTMLTree

    tree = HTMLTree.parse_from_bytes(page.body, encoding)
    for cell in tree.body.query_selector_all("td, th") if tree.body else ():
        cell.append_child(tree.create_text_node(" "))  # or the words of two cells would be one
    text = extract_plain_text(tree, main_content=True, alt_texts=True, preserve_formatting=True)
    return _told(tree.title or "", text or extract_plain_text(tree), page.most_letters)


def _told(title: str, text: str, most_letters: int) -> Extracted:
    from resiliparse.parse.lang import detect_fast

    kept = _UNWANTED.sub("", text)[:most_letters].strip()
    language = detect_fast(kept)[0] if len(kept) >= LEAST_LETTERS else ""
    name = " ".join(_UNWANTED.sub("", title).split())[:TITLE_LENGTH]
    return Extracted(name, kept, "" if language == "unknown" else language)


class Extractor:
    """Extracts page after page; one that does not end, or eats up the memory, costs only itself."""

    def __init__(self, most_seconds: float = MOST_SECONDS) -> None:
        self.most_seconds = most_seconds
        self._context = multiprocessing.get_context("spawn")
        self._process: multiprocessing.process.BaseProcess | None = None
        self._line: Connection | None = None

    def __enter__(self) -> Extractor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def __call__(self, page: Page) -> Extracted | None:
        """None: it took too long or broke off."""
        line = self._line or self._start()
        try:
            line.send(page)
            if line.poll(self.most_seconds):
                extracted: Extracted = line.recv()
                return extracted
        except (EOFError, OSError):
            pass  # it died of it
        self._end()
        return None

    def _start(self) -> Connection:
        self._line, theirs = self._context.Pipe()
        self._process = self._context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()
        return self._line

    def _end(self) -> None:
        if self._process and self._line:
            self._process.kill()
            self._process.join()
            self._process.close()
            self._line.close()
        self._process = self._line = None


def _serve(line: Connection) -> None:
    die_with_parent(signal.SIGKILL)
    os.nice(LESS_URGENT)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY_BYTES, MOST_MEMORY_BYTES))
    while True:
        try:
            page: Page = line.recv()
        except EOFError:
            return
        try:
            answer = extract(page)
        except (ValueError, LookupError, MemoryError):
            answer = Extracted()
        line.send(answer)
