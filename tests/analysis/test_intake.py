"""Tables coming in: every format gives the same rows, every row is kept or counted, whatever is wrong is named."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ronda.analysis import csv_reading
from ronda.analysis.csv_rows import whole_rows
from ronda.analysis.errors import BrokenFile, TooMuchData, UnknownFormat, WrongColumns
from ronda.analysis.formats import Format, Packing, of_media_type, packing_of
from ronda.analysis.intake import Taken, take_in
from ronda.analysis.limits import Limits
from ronda.analysis.questions.model import Column, TableNeed
from ronda.analysis.sniffing import declared

NEED = TableNeed(
    "things",
    (
        Column("name"),
        Column("price", "DOUBLE"),
        Column("count", "BIGINT"),
        Column("day", "DATE"),
        Column("tags", "VARCHAR[]"),
        Column("note", is_required=False),
    ),
)
ROWS = [
    {"name": 'a "b", c\nd', "price": 1.5, "count": 7, "day": "2020-02-29", "tags": ["x", "y'z"], "more": 1},
    {"name": "ñandú", "price": -2.0, "count": -3, "day": None, "tags": [], "more": 2},
    {"name": None, "price": None, "count": None, "day": "1999-12-31", "tags": None, "more": None},
]
KEPT = [{key: row[key] for key in ("name", "price", "count", "day", "tags")} | {"note": None} for row in ROWS]


def take(
    body: bytes | Path, tmp_path: Path, need: TableNeed = NEED, **more: object
) -> tuple[Taken, list[dict[str, object]]]:
    segment = tmp_path / "segment.parquet"
    source = io.BytesIO(body) if isinstance(body, bytes) else body
    taken = take_in(source, need, segment, **more)  # type: ignore[arg-type]
    rows = pq.read_table(segment).to_pylist()
    for row in rows:
        if row.get("day") is not None:
            row["day"] = row["day"].isoformat()
    assert taken.rows_kept == len(rows)
    assert taken.rows_read == taken.rows_kept + sum(taken.dropped.values())
    return taken, rows


def as_csv(rows: list[dict[str, object]]) -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(ROWS[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def as_arrow() -> pa.Table:
    return pa.Table.from_pylist(ROWS).set_column(
        3, "day", pa.array([r["day"] for r in ROWS]).cast(pa.date32())
    )


def bodies() -> dict[str, bytes]:
    parquet, stream, file = io.BytesIO(), io.BytesIO(), io.BytesIO()
    pq.write_table(as_arrow(), parquet)
    with pa.ipc.new_stream(stream, as_arrow().schema) as writer:
        writer.write_table(as_arrow())
    with pa.ipc.new_file(file, as_arrow().schema) as writer:
        writer.write_table(as_arrow())
    return {
        "csv": as_csv(ROWS),
        "csv with \\r\\n": as_csv([ROWS[1]]).replace(b"\n", b"\r\n"),
        "csv with a mark": b"\xef\xbb\xbf" + as_csv(ROWS),
        "ndjson": "\n".join(json.dumps(row) for row in ROWS).encode(),
        "parquet": parquet.getvalue(),
        "arrow stream": stream.getvalue(),
        "arrow file": file.getvalue(),
    }


@pytest.mark.parametrize("packing", ["plain", "gzip", "zstd"])
@pytest.mark.parametrize("name", list(bodies()))
def test_every_format_gives_the_same_rows(name: str, packing: str, tmp_path: Path) -> None:
    body = bodies()[name]
    if packing != "plain":
        body = (
            bytes(pa.Codec(packing).compress(body, asbytes=True))
            if packing == "zstd"
            else gzip.compress(body)
        )
    taken, rows = take(body, tmp_path)
    assert rows == (KEPT if "\\r" not in name else [KEPT[1]])
    assert taken.dropped == {}


def test_every_row_is_kept_or_counted_by_reason(tmp_path: Path) -> None:
    body = (
        b"name,price,count,day,tags,more\n"
        b"good,1,2,2020-01-01,[],m\n"
        b"price,one,2,2020-01-01,[],m\n"
        b"nan,nan,2,2020-01-01,[],m\n"
        b"whole,1,2.5,2020-01-01,[],m\n"
        b"big,1,99999999999999999999,2020-01-01,[],m\n"
        b"day,1,2,2020-13-01,[],m\n"
        b"tags,1,2,2020-01-01,[oops,m\n"
        b"short,1,2\n"
        b"long,1,2,2020-01-01,[],m,n\n"
        b'"quote"d,1,2,2020-01-01,[],m\n'
        b"\xff\xfe,1,2,2020-01-01,[],m\n"
        b"\n"
        b'still "here",1,2,2020-01-01,[],"not\nlost"\n'
        b'"open,1,2,2020-01-01,[],m\n'
        b"last, 5 ,+6,2020-01-01,[],m"
    )
    taken, rows = take(body, tmp_path)
    assert [row["name"] for row in rows] == ["good", 'still "here"', "last"]
    assert (rows[2]["price"], rows[2]["count"]) == (5.0, 6)
    assert taken.dropped == {
        "broken quoting": 2,
        "not UTF-8": 1,
        "not a date": 1,
        "not a list or object": 1,
        "not a number": 4,
        "wrong number of columns": 2,
    }


def test_objects_that_are_none(tmp_path: Path) -> None:
    lines = [
        '{"name": "a", "price": "1.5", "count": 1}',
        "{oops",
        "[1]",
        '{"name": 5, "price": 1, "count": "x"}',
        "",
    ]
    need = TableNeed("t", NEED.columns[:3])
    taken, rows = take("\n".join(lines).encode(), tmp_path, need, format=Format.NDJSON)
    assert rows == [{"name": "a", "price": 1.5, "count": 1}]
    assert taken.dropped == {"not a JSON object": 2, "not a number": 1}


def test_fields_too_big_are_left_out(tmp_path: Path) -> None:
    body = b"name,x\n" + b"a" * 3000 + b",1\nb,2\n"
    limits = Limits(max_field_bytes=1000)
    taken, rows = take(body, tmp_path, TableNeed("t", (Column("name"),)), limits=limits)
    assert (rows, taken.dropped) == ([{"name": "b"}], {"a field is too big": 1})
    body = b'name,x\n"' + b"a\n" * 3000 + b'",1\nb,2\n'
    taken, rows = take(body, tmp_path, TableNeed("t", (Column("name"),)), limits=Limits(max_row_bytes=1000))
    assert rows == [{"name": "b"}]
    assert taken.dropped["a row is too big"] >= 1


@pytest.mark.parametrize(
    ("body", "more", "error", "said"),
    [
        (b"", {}, BrokenFile, "empty"),
        (b"name,price\na,1\n", {}, WrongColumns, "lacks 'count', 'day', 'tags'"),
        (as_csv(ROWS).replace(b",more", b",name"), {}, WrongColumns, "'name' more than once"),
        (bodies()["parquet"][:-20], {"format": Format.PARQUET}, BrokenFile, "no whole Parquet file"),
        (bodies()["arrow stream"][:700], {"format": Format.ARROW}, BrokenFile, "no whole Arrow file"),
        (gzip.compress(as_csv(ROWS))[:-30], {}, BrokenFile, "cannot be unpacked"),
        (b"\x1f\x8bnonsense", {}, BrokenFile, "cannot be unpacked"),
        ("name,price".encode("utf-16"), {}, BrokenFile, "UTF-16"),
        (b"\xe9,price\n", {}, BrokenFile, "not UTF-8"),
        (b"not json", {"format": Format.NDJSON}, None, ""),
    ],
    # Not by their bytes: gzip notes the time.
    ids=lambda value: "body" if isinstance(value, bytes) else None,
)
def test_what_is_wrong_is_named_and_leaves_no_segment(
    body: bytes, more: dict[str, object], error: type[Exception] | None, said: str, tmp_path: Path
) -> None:
    if error is None:
        taken, rows = take(body, tmp_path, **more)  # type: ignore[arg-type]
        assert (rows, taken.dropped) == ([], {"not a JSON object": 1})
        return
    with pytest.raises(error, match=said):
        take(body, tmp_path, **more)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_bombs_are_refused(tmp_path: Path) -> None:
    bomb = gzip.compress(b"name,x\n" + b"a,1\n" * 20_000_000, 9)
    with pytest.raises(TooMuchData, match="unpacks to more than"):
        take(bomb, tmp_path, TableNeed("t", (Column("name"),)), limits=Limits(max_expansion=100))
    with pytest.raises(TooMuchData, match="larger than 1000 bytes"):
        take(as_csv(ROWS * 100), tmp_path, limits=Limits(max_plain_bytes=1000))


def test_media_types_and_encodings() -> None:
    assert of_media_type("text/csv; charset=utf-8") is Format.CSV
    assert packing_of("gzip") is Packing.GZIP
    with pytest.raises(UnknownFormat, match="Send one of"):
        of_media_type("image/png")
    with pytest.raises(UnknownFormat, match="Use gzip or zstd"):
        packing_of("br")


def test_columns_nobody_declared(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("a;b;c;d\n" + "1;2.5;2020-01-01;x\n" * 200 + "oops;3;2020-01-01;y\n")
    need = declared(TableNeed("t"), file)
    assert [(c.name, c.type) for c in need.columns] == [
        ("a", "BIGINT"),
        ("b", "DOUBLE"),
        ("c", "DATE"),
        ("d", "VARCHAR"),
    ]
    taken, rows = take(file, tmp_path, need)
    assert (len(rows), taken.dropped) == (200, {"not a number": 1})


CELL = st.text(st.sampled_from('a",\n\r;é '), max_size=6)
LINE = st.one_of(
    st.lists(CELL, min_size=3, max_size=3).map(lambda row: _line(row)),
    # And whatever a broken program may write.
    st.text(st.sampled_from('a,"\n'), max_size=8).map(lambda text: text.encode() + b"\n"),
)


def _line(row: list[str]) -> bytes:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(row)
    return out.getvalue().encode()


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(LINE, max_size=12), chunk=st.integers(1, 40))
def test_the_same_rows_wherever_it_is_cut(lines: list[bytes], chunk: int, tmp_path: Path) -> None:
    """Chunks of any size, batches that end behind any row: the same rows, the same counts."""
    body = b"".join(lines)
    need = TableNeed("t", (Column("x"), Column("y"), Column("z")))
    whole, rows = take(b"x,y,z\n" + body, tmp_path, need)
    pieces, dropped = [], dict[str, int]()
    rest = body
    while rest:
        # As many rows as a client finds in so many bytes; if there is none yet, it reads on.
        size, cut = chunk, whole_rows(rest[:chunk], is_last=chunk >= len(rest))
        while not cut.consumed_bytes:
            size *= 2
            cut = whole_rows(rest[:size], is_last=size >= len(rest))
        taken, found = take(b"x,y,z\n" + rest[: cut.consumed_bytes], tmp_path, need)
        pieces += found
        for reason, count in taken.dropped.items():
            dropped[reason] = dropped.get(reason, 0) + count
        rest = rest[cut.consumed_bytes :]
    assert pieces == rows
    assert dropped == whole.dropped


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(LINE, max_size=12), chunk=st.integers(1, 64), threads=st.integers(1, 3))
def test_the_same_rows_however_it_is_read(
    lines: list[bytes], chunk: int, threads: int, tmp_path: Path
) -> None:
    body, need = b"x,y,z\n" + b"".join(lines), TableNeed("t", (Column("x"), Column("y"), Column("z")))
    whole, rows = take(body, tmp_path, need)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_reading, "CHUNK_BYTES", max(chunk, 8))
        again, same = take(body, tmp_path, need, threads=threads)
    assert (same, again.dropped) == (rows, whole.dropped)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(
        st.lists(st.text(max_size=8).filter(lambda t: "\r" not in t), min_size=2, max_size=2), max_size=8
    )
)
def test_what_python_writes_is_read_back(rows: list[list[str]], tmp_path: Path) -> None:
    body = b"x,y\n" + b"".join(_line(row) for row in rows)
    need = TableNeed("t", (Column("x"), Column("y")))
    _, found = take(body, tmp_path, need)
    assert [[row["x"] or "", row["y"] or ""] for row in found] == rows


def test_around_what_does_not_fit_the_same_rows_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a value does not fit its rows are looked at closely: how many beside them changes nothing."""
    rows = [f'{n},"text, ""{n}""\nof two lines",{n}.5\n' for n in range(400)]
    rows[7] = "seven,x,1\n"
    rows[150] = "1,2\n"
    rows[151] = '151,"' + "long " * 300 + '",nan\n'
    rows[399] = "9999999999999999999,x,1"
    head, need = (
        b"n,text,share",
        TableNeed(
            "t",
            columns=(
                Column("n", "BIGINT"),
                Column("text"),
                Column("share", "DOUBLE"),
                Column("more", is_required=False),
            ),
        ),
    )
    body = "".join(rows).encode()
    found = []
    for size in (200, 1_000, 10**9):
        monkeypatch.setattr(csv_reading, "PART_BYTES", size)
        layout = csv_reading.layout_of(head, need, Limits())
        found.append(csv_reading.parse_rows(body, {"broken quoting": 2}, layout, Limits()))
    assert found[0].table.num_rows == 396
    assert found[0].dropped == {"broken quoting": 2, "not a number": 3, "wrong number of columns": 1}
    for other in found[1:]:
        assert other.table.equals(found[0].table)
        assert other.dropped == found[0].dropped


@pytest.mark.parametrize("packing", [Packing.GZIP, Packing.ZSTD])
def test_a_packed_file_with_a_long_header(tmp_path: Path, packing: Packing) -> None:
    """However little of it was looked at to tell what it is."""
    names = [f"a_column_with_a_long_name_{number}" for number in range(40)]
    text = (",".join(names) + "\n" + ",".join("1" for _ in names) + "\n").encode()
    packed = gzip.compress(text) if packing is Packing.GZIP else pa.compress(text, "zstd", asbytes=True)
    need = TableNeed("wide", (Column(names[-1], "BIGINT"),))
    taken = take_in(io.BytesIO(packed), need, tmp_path / "segment", format=Format.CSV, packing=packing)
    assert (taken.rows_kept, dict(taken.dropped)) == (1, {})
