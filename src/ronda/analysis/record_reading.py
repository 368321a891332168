"""Parquet and Arrow IPC: what comes in columns already."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from ronda.analysis.column_types import name_of
from ronda.analysis.csv_reading import check_columns
from ronda.analysis.errors import BrokenFile, TooMuchData
from ronda.analysis.fitting import Piece, fit, schema_of
from ronda.analysis.formats import Format
from ronda.analysis.limits import Limits
from ronda.analysis.opening import Opened
from ronda.analysis.questions.model import Column, TableNeed

BATCH_ROWS = 65_536


def record_pieces(body: Opened, need: TableNeed, limits: Limits) -> Iterator[Piece]:
    name = "Parquet" if body.format is Format.PARQUET else "Arrow"
    batches = _parquet(body, need, limits) if body.format is Format.PARQUET else _arrow(body)
    columns: tuple[Column, ...] = ()
    try:
        for batch in batches:
            if not columns:
                check_columns(batch.schema.names, need)
                columns = need.columns or tuple(Column(one.name, name_of(one.type)) for one in batch.schema)
                yield Piece(schema_of(columns).empty_table())
            body.count(batch.nbytes if body.format is Format.PARQUET else 0)
            table = pa.Table.from_batches([batch])
            yield fit(
                table.select([c.name for c in columns if c.name in table.column_names]),
                columns,
                max_field_bytes=limits.max_field_bytes,
            )
    except (pa.ArrowException, OSError, EOFError) as error:
        raise BrokenFile(
            f"It is no whole {name} file: {str(error).rstrip('.')}.", hint="Was it cut off on the way?"
        ) from None


def _parquet(body: Opened, need: TableNeed, limits: Limits) -> Iterator[pa.RecordBatch]:
    with body.seekable() as stream, pq.ParquetFile(stream) as file:
        schema = file.schema_arrow
        if len(schema) > limits.max_columns:
            raise TooMuchData(
                f"The Parquet file has {len(schema)} columns; {limits.max_columns} are allowed."
            )
        groups = [file.metadata.row_group(number).total_byte_size for number in range(file.num_row_groups)]
        if sum(groups) > limits.max_plain_bytes:
            raise TooMuchData(f"Unpacked it is larger than {limits.max_plain_bytes} bytes.")
        wanted = [column.name for column in need.columns if column.name in schema.names] or None
        yield pa.RecordBatch.from_pylist([], schema)
        yield from file.iter_batches(BATCH_ROWS, columns=wanted)


def _arrow(body: Opened) -> Iterator[pa.RecordBatch]:
    with body.seekable() as stream:
        is_file = stream.read(6) == b"ARROW1"
        stream.seek(0)
        reader = pa.ipc.open_file(stream) if is_file else pa.ipc.open_stream(stream)
        yield pa.RecordBatch.from_pylist([], reader.schema)
        if is_file:
            for number in range(reader.num_record_batches):
                yield from _smaller(reader.get_batch(number))
        else:
            for batch in reader:
                yield from _smaller(batch)


def _smaller(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    for start in range(0, batch.num_rows, BATCH_ROWS):
        yield batch.slice(start, BATCH_ROWS)
