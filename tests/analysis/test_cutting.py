"""Files are cut into batches behind rows, never within one, and nothing of them is lost."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ronda.analysis.client.files import ARROW, CSV, pieces_of

FIELDS = st.text(st.sampled_from("ab,\"\n'é\r "), max_size=8)
TABLES = st.lists(st.tuples(FIELDS, FIELDS), min_size=0, max_size=30)


def written(rows: list[tuple[str, str]], quoting: int = csv.QUOTE_MINIMAL) -> bytes:
    sink = io.StringIO(newline="")
    csv.writer(sink, lineterminator="\n", quoting=quoting).writerows([("one", "two"), *rows])
    return sink.getvalue().encode()


def read(body: bytes) -> list[tuple[str, ...]]:
    return [tuple(row) for row in csv.reader(io.StringIO(body.decode(), newline=""))]


@settings(max_examples=150, deadline=None)
@given(
    rows=TABLES, batch_bytes=st.integers(1, 80), quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
)
def test_every_piece_is_whole_rows(
    rows: list[tuple[str, str]], batch_bytes: int, quoting: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "cut.csv"
    path.write_bytes(written(rows, quoting))
    pieces = list(pieces_of(path, batch_bytes))
    assert [piece.number for piece in pieces] == list(range(1, len(pieces) + 1))
    together = []
    for piece in pieces:
        header, *some = read(piece.body)
        assert header == ("one", "two")
        together += some
    assert together == read(written(rows, quoting))[1:]


def test_a_row_longer_than_a_batch_stays_whole(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_bytes(b'h\n"' + b"line\n" * 100 + b'"\n' + b"last\n" * 100)
    rows = [len(read(piece.body)) - 1 for piece in pieces_of(path, 50)]
    assert len(rows) > 5
    assert sum(rows) == 101


@pytest.mark.parametrize("content", [b"", b"h", b"h\n", b"h\n\n"])
def test_empty_files_are_one_batch_at_most(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "empty.csv"
    path.write_bytes(content)
    assert len(list(pieces_of(path))) == (1 if content else 0)


def test_packed_files_are_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "some.csv.gz"
    path.write_bytes(gzip.compress(b"h\n" + b"row\n" * 1000))
    pieces = list(pieces_of(path, 1000))
    assert {piece.content_type for piece in pieces} == {CSV}
    assert sum(piece.body.count(b"row") for piece in pieces) == 1000


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_large_columnar_files_become_streams(suffix: str, tmp_path: Path) -> None:
    table = pa.table({"n": list(range(50_000)), "s": ["text"] * 50_000})
    path = tmp_path / f"some.{suffix}"
    if suffix == "parquet":
        pq.write_table(table, path)
    else:
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    pieces = list(pieces_of(path, 100_000))
    assert len(pieces) > 1
    assert {piece.content_type for piece in pieces} == {ARROW}
    read_back = pa.concat_tables(pa.ipc.open_stream(piece.body).read_all() for piece in pieces)
    assert read_back.equals(table)
