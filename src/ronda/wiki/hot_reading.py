"""Reads the hot columns of a snapshot, in the background: while they are read, the engine answers."""

from __future__ import annotations

import logging
import threading
import time

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from django.db import connection

from ronda.database.named_sql import named_sql
from ronda.lake.reading import reading
from ronda.lake.snapshots import snapshot_of
from ronda.wiki.hot_columns import EPOCH, Authors, HotColumns, Tally
from ronda.wiki.metrics import ATTRIBUTES

logger = logging.getLogger(__name__)

# With fewer revisions the engine is quick enough; with more, six bytes a revision and all names are too much memory.
LEAST_REVISIONS = 200_000
MOST_REVISIONS = 20_000_000
BATCH = 100_000
PART_BITS = 3
# Of these it is enough to know how often each value is there: with filters the engine reads short columns only.
TALLIED = ("title", "pageid", "userid", "size")
# Reading takes at most so much of the time, however often the lake changes.
SHARE_OF_TIME = 0.05

_current: HotColumns | None = None
_reader: threading.Thread | None = None
_not_before = 0.0
_lock = threading.Lock()


def columns_of(lake: duckdb.DuckDBPyConnection) -> HotColumns | None:
    """Those of the very snapshot this connection sees, if they have been read; else reading them begins."""
    global _current, _reader
    snapshot = snapshot_of(lake)
    with _lock:
        if _current is not None and _current.snapshot == snapshot:
            return _current
        if (_reader is None or not _reader.is_alive()) and time.monotonic() >= _not_before:
            _current = None  # of an older snapshot: its room is needed
            _reader = threading.Thread(target=_refresh, name="hot columns", daemon=True)
            _reader.start()
    return None


def _refresh() -> None:
    global _current, _not_before
    began = time.monotonic()
    try:
        with reading() as lake:
            read = read_columns(lake)
    except Exception:  # a thread's border: questions are answered without it
        logger.exception("the revisions could not be read into memory")
        read = None
    finally:
        connection.close()
    seconds = time.monotonic() - began
    with _lock:
        _current = read
        _not_before = time.monotonic() + max(1.0, seconds / SHARE_OF_TIME)


def read_columns(lake: duckdb.DuckDBPyConnection) -> HotColumns | None:
    """None when there are too few revisions to need it, or too many to hold."""
    snapshot = snapshot_of(lake)
    row = lake.execute("SELECT count(*) FROM revisions").fetchone()
    total = int(row[0]) if row else 0
    if not LEAST_REVISIONS <= total <= MOST_REVISIONS:
        return None
    return columns_from(lake, snapshot, total)


def columns_from(lake: duckdb.DuckDBPyConnection, snapshot: tuple[str, int], total: int) -> HotColumns:
    """Batch by batch, so that hardly more than the columns themselves is in memory."""
    tallies = {attribute: _tally(lake, attribute) for attribute in TALLIED}
    keys, names = _authors(lake)
    codes = np.empty(total, dtype=np.uint32)
    days = np.empty(total, dtype=np.uint16)
    at = 0
    found = lake.execute(named_sql("ronda.wiki", "hot_columns"), {"epoch": EPOCH})
    for batch in found.to_arrow_reader(BATCH):
        part = slice(at, at := at + batch.num_rows)
        codes[part] = np.searchsorted(keys, batch.column("author").to_numpy()) + 1
        codes[part][batch.column("is_hidden").to_numpy(zero_copy_only=False)] = 0
        days[part] = batch.column("day").to_numpy()
    pa.default_memory_pool().release_unused()
    return HotColumns(snapshot, Authors(names, codes), days, tallies)


def _authors(lake: duckdb.DuckDBPyConnection) -> tuple[npt.NDArray[np.uint64], pa.ChunkedArray]:
    """Keys in order, and the name of each. Part by part: all at once take the engine several times their own size."""
    keys: list[npt.NDArray[np.uint64]] = [np.empty(0, dtype=np.uint64)]
    names: list[pa.Array] = []
    for part in range(2**PART_BITS):
        found = lake.execute(named_sql("ronda.wiki", "authors_named"), {"bits": PART_BITS, "part": part})
        for batch in found.to_arrow_reader(BATCH):
            keys.append(batch.column("author").to_numpy().copy())
            # Copied, as one column that is kept keeps all of the engine's batch.
            names.append(pa.concat_arrays([batch.column("user"), batch.column("user").slice(0, 0)]))
    together = np.concatenate(keys)
    if np.any(together[1:] == together[:-1]):
        raise ValueError(f"two of {len(together):,} authors have one key")
    return together, pa.chunked_array(names, pa.string())


def _tally(lake: duckdb.DuckDBPyConnection, attribute: str) -> Tally:
    counted, is_of_wiki = ATTRIBUTES[attribute]
    found = lake.execute(
        f"SELECT {counted} AS value, {'wiki' if is_of_wiki else 'NULL::VARCHAR AS wiki'}, count(*) AS n"
        f" FROM revisions WHERE {counted} IS NOT NULL GROUP BY ALL"
    ).to_arrow_table()
    return Tally(found["value"], found["wiki"], found["n"].to_numpy())
