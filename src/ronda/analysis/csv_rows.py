"""Where rows of CSV end (RFC 4180), at the speed of memory; and rows whose quoting is broken, taken out one by one.

A quote opens a field only as its first byte; the one that closes it stands before a delimiter or the end of the row;
a quote inside is doubled. A row that breaks this is broken: its first line is left out, and the next line begins a new
row. So a lost quote costs a few rows, never the rest of the file, and where rows end depends on no batch's border.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

import numpy as np

from ronda.analysis.drop_reasons import BROKEN_QUOTING, ROW_TOO_BIG
from ronda.analysis.errors import TooMuchData

QUOTE, NEWLINE, RETURN = ord('"'), ord("\n"), ord("\r")


@dataclass(frozen=True)
class Cut:
    """Whole rows from the front of some bytes: so many bytes were consumed, these rows are sound, so many were not."""

    consumed_bytes: int
    rows: bytes | memoryview
    dropped: dict[str, int]


def whole_rows(data: bytes, *, is_last: bool, delimiter: bytes = b",", max_row_bytes: int = 64 << 20) -> Cut:
    """As many whole rows as there are. Data begins with a row; what is left over belongs in front of the rest."""
    end = _sound_end(data, is_last=is_last, delimiter=delimiter) if len(data) <= max_row_bytes else None
    if end is None:
        return _scrubbed(data, is_last=is_last, delimiter=delimiter, max_row_bytes=max_row_bytes)
    return Cut(end, data if end == len(data) else memoryview(data)[:end], {})


def _sound_end(data: bytes, *, is_last: bool, delimiter: bytes) -> int | None:
    """Where the last whole row ends; None if a quote stands where none may, or if it cannot be told."""
    if b'"' not in data:
        return len(data) if is_last else data.rfind(b"\n") + 1
    array = np.frombuffer(data, np.uint8)
    quotes = np.flatnonzero(array == QUOTE)
    if is_last:
        end = len(data)
        if len(quotes) % 2:
            return None
    else:
        end = _last_border(data, quotes)
        quotes = quotes[: np.searchsorted(quotes, end)]
    return end if _are_placed_well(array[:end], quotes, delimiter) else None


def _last_border(data: bytes, quotes: np.ndarray[tuple[int], np.dtype[np.int64]]) -> int:
    """Behind the last line end with an even number of quotes before it; 0 if there is none."""
    limit = int(quotes[-1]) if len(quotes) % 2 else len(data)
    while True:
        border = data.rfind(b"\n", 0, limit) + 1
        before = int(np.searchsorted(quotes, border))
        if not border or before % 2 == 0:
            return border
        limit = int(quotes[before - 1])


def _are_placed_well(
    array: np.ndarray[tuple[int], np.dtype[np.uint8]],
    quotes: np.ndarray[tuple[int], np.dtype[np.int64]],
    delimiter: bytes,
) -> bool:
    """Every odd quote opens a field (or continues one, as the second of a pair), every even one closes it."""
    if not len(quotes):
        return True
    is_border = np.zeros(256, np.bool_)
    is_border[[QUOTE, NEWLINE, RETURN, delimiter[0]]] = True
    opening, closing = quotes[0::2], quotes[1::2]
    before = array[opening[1:] - 1] if opening[0] == 0 else array[opening - 1]
    after = array[closing[:-1] + 1] if closing[-1] + 1 == len(array) else array[closing + 1]
    return bool(is_border[before].all() and is_border[after].all())


@cache
def _patterns(delimiter: bytes) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    d = re.escape(delimiter)
    field = rb'(?:"[^"]*+(?:""[^"]*+)*+"(?=[' + d + rb'\r\n]|\Z)|(?!")[^' + d + rb"\r\n]*+)"
    row = re.compile(field + rb"(?:" + d + field + rb")*+(?:\r\n|\n|\r|\Z)")
    # A row whose last field is quoted and not closed where the data ends.
    unfinished = re.compile(rb"(?:" + field + d + rb')*+"[^"]*+(?:""[^"]*+)*+\Z')
    return row, unfinished


def _scrubbed(data: bytes, *, is_last: bool, delimiter: bytes, max_row_bytes: int) -> Cut:
    """Row by row, slowly: sound rows are collected, broken ones counted."""
    row, unfinished = _patterns(delimiter)
    at, good, dropped = 0, list[memoryview](), dict[str, int]()
    view = memoryview(data)
    while at < len(data):
        found = row.match(data, at)
        is_open = (found is not None and found.end() == len(data)) or (
            found is None and unfinished.match(data, at)
        )
        if is_open and not is_last and len(data) - at <= max_row_bytes:
            break
        if found is not None and found.end() - at <= max_row_bytes:
            good.append(view[at : found.end()])
            at = found.end()
            continue
        line_end = data.find(b"\n", at) + 1
        if not line_end and not is_last:
            # The end of a broken line is still to come; its rest is not to be taken for a row.
            if len(data) - at <= max_row_bytes:
                break
            raise TooMuchData(f"A line is longer than {max_row_bytes} bytes.")
        reason = ROW_TOO_BIG if len(data) - at > max_row_bytes and (found or is_open) else BROKEN_QUOTING
        dropped[reason] = dropped.get(reason, 0) + 1
        at = line_end or len(data)
    return Cut(at, b"".join(good), dropped)
