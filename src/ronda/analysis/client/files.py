"""Files as batches: pieces on row boundaries, each of which can be read by itself, always the same ones."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import IO, cast

import pyarrow as pa

from ronda.analysis.csv_reading import DELIMITERS
from ronda.analysis.csv_rows import whole_rows
from ronda.errors import InvalidInput

# Large enough that the way there and back is nothing beside reading it, small enough that sending it again is little.
BATCH_BYTES = 16 * 1024**2
ARROW_ROWS = 65_536

CSV = "text/csv"
NDJSON = "application/x-ndjson"
PARQUET = "application/vnd.apache.parquet"
ARROW = "application/vnd.apache.arrow.stream"

_SUFFIXES = {
    ".csv": CSV,
    ".ndjson": NDJSON,
    ".jsonl": NDJSON,
    ".parquet": PARQUET,
    ".arrow": ARROW,
    ".arrows": ARROW,
    ".feather": ARROW,
}
_PACKED = (".gz", ".zst")


@dataclass(frozen=True)
class Piece:
    number: int
    body: bytes
    content_type: str
    # How far in the file it reaches: for progress bars.
    position: int


def pieces_of(path: Path, batch_bytes: int = BATCH_BYTES) -> Iterator[Piece]:
    """The file's batches, numbered from 1."""
    kind = content_type_of(path)
    split = _text_pieces if kind in (CSV, NDJSON) else _arrow_pieces
    bodies = split(path, kind, batch_bytes)
    for number, (content_type, body, position) in enumerate(bodies, start=1):
        yield Piece(number, body, content_type, position)


def pieces_of_all(paths: Sequence[Path], batch_bytes: int = BATCH_BYTES) -> Iterator[Piece]:
    """The batches of a table that stands in several files, numbered through."""
    number = position = 0
    for path in paths:
        for piece in pieces_of(path, batch_bytes):
            number += 1
            yield replace(piece, number=number, position=position + piece.position)
        position += path.stat().st_size


def content_type_of(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in _PACKED:
        suffixes.pop()
    kind = _SUFFIXES.get(suffixes[-1] if suffixes else "")
    if kind is None:
        raise InvalidInput(
            f"{path.name}: cannot tell what it holds.",
            hint="Files end in .csv, .ndjson, .jsonl, .parquet or .arrow; .gz or .zst may stand behind.",
        )
    return kind


def _text_pieces(path: Path, kind: str, batch_bytes: int) -> Iterator[tuple[str, bytes, int]]:
    """Every CSV batch begins with the header row: it can be read by itself, in whatever order they come."""
    with path.open("rb") as raw, _unpacked(path, raw) as file:
        header, rest = _header(file, batch_bytes) if kind == CSV else (b"", b"")
        cut = partial(_cut_csv, delimiter=_delimiter(header)) if kind == CSV else _cut_lines
        is_any = False
        while block := file.read(batch_bytes):
            data = rest + block
            end = cut(data)
            rest = data[end:]
            # None, and a row is longer than the block: it takes another.
            if end:
                is_any = True
                yield kind, header + data[:end], raw.tell()
        if rest or (header and not is_any):
            yield kind, header + rest, raw.tell()


def _cut_lines(data: bytes) -> int:
    return data.rfind(b"\n") + 1


def _cut_csv(data: bytes, delimiter: bytes) -> int:
    """By the rules the server reads it with: quoted fields may hold line ends, and broken rows end somewhere, too."""
    return whole_rows(data, is_last=False, delimiter=delimiter).consumed_bytes


def _header(file: IO[bytes], batch_bytes: int) -> tuple[bytes, bytes]:
    """The first row with its line end, and what was read behind it."""
    data = b""
    while block := file.read(min(65536, batch_bytes)):
        data += block
        end = data.find(b"\n") + 1
        while end and data.count(b'"', 0, end) % 2:
            end = data.find(b"\n", end) + 1
        if end:
            return data[:end], data[end:]
    return (data + b"\n" if data else b""), b""


def _delimiter(header: bytes) -> bytes:
    return max(DELIMITERS, key=lambda delimiter: header.count(delimiter.encode())).encode()


def _unpacked(path: Path, raw: IO[bytes]) -> IO[bytes]:
    suffix = path.suffix.lower()
    if suffix == ".gz":
        return cast("IO[bytes]", gzip.open(raw))
    if suffix == ".zst":
        return pa.CompressedInputStream(raw, "zstd")  # type: ignore[no-any-return]
    return io.BufferedReader(raw) if isinstance(raw, io.RawIOBase) else raw


def _arrow_pieces(path: Path, kind: str, batch_bytes: int) -> Iterator[tuple[str, bytes, int]]:
    """A small file as it is; a large one as Arrow streams, each of some of its rows."""
    size = path.stat().st_size
    if path.suffix.lower() in _PACKED:
        raise InvalidInput(f"{path.name}: unpack it first; .gz and .zst are for text.")
    if size <= batch_bytes:
        yield kind, path.read_bytes(), size
        return
    schema, batches, total = _opened(path, kind)
    done = 0
    for group in _grouped(batches, batch_bytes):
        sink = io.BytesIO()
        with pa.ipc.new_stream(sink, schema) as writer:
            for batch in group:
                writer.write_batch(batch)
                done += batch.num_rows
        yield ARROW, sink.getvalue(), size * done // max(1, total)


def _opened(path: Path, kind: str) -> tuple[pa.Schema, Iterator[pa.RecordBatch], int]:
    """What it holds, batch by batch, and how many rows there are."""
    if kind == PARQUET:
        import pyarrow.parquet as pq

        file = pq.ParquetFile(path)
        return file.schema_arrow, file.iter_batches(ARROW_ROWS), file.metadata.num_rows
    with path.open("rb") as probe:
        is_file = probe.read(6) == b"ARROW1"
    if is_file:
        reader = pa.ipc.open_file(pa.memory_map(str(path)))
        whole = (reader.get_batch(number) for number in range(reader.num_record_batches))
        return (
            reader.schema,
            whole,
            sum(reader.get_batch(n).num_rows for n in range(reader.num_record_batches)),
        )
    stream = pa.ipc.open_stream(pa.memory_map(str(path)))
    return stream.schema, iter(stream), 0


def _grouped(batches: Iterator[pa.RecordBatch], batch_bytes: int) -> Iterator[list[pa.RecordBatch]]:
    group: list[pa.RecordBatch] = []
    size = 0
    for batch in batches:
        rows = max(1, batch.num_rows * batch_bytes // max(1, batch.nbytes))
        for start in range(0, batch.num_rows, rows):
            part = batch.slice(start, rows)
            if group and size + part.nbytes > batch_bytes:
                yield group
                group, size = [], 0
            group.append(part)
            size += part.nbytes
    if group:
        yield group
