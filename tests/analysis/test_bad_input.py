"""Bad input gets a clear error, or is counted as dropped with a reason; the session stays usable, always."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ronda.analysis.intake_pool import IntakePool
from ronda.analysis.intake_process import Order
from ronda.errors import InvalidInput
from tests.analysis.asking import SCORES, Caller, rows_csv, work_off

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("home")]

PARQUET = "application/vnd.apache.parquet"
GOOD = rows_csv(("ana", 3), ("ben", 5))


def _parquet() -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table({"name": ["ana"] * 1000, "score": list(range(1000))}), sink)
    return sink.getvalue()


def _bomb() -> bytes:
    """Two gigabytes in two megabytes: gzip members may stand behind each other."""
    return gzip.compress(b"name,score\n") + gzip.compress(b"x,1\n" * 4_000_000) * 128


REFUSED: dict[str, tuple[int, str, dict[str, Any]]] = {
    "wrong columns": (422, "lacks 'score'", {"body": b"name,points\nana,3\n"}),
    "an empty body": (422, "", {"body": b""}),
    "wrong encoding of the header": (422, "UTF-8", {"body": "naïve,score\n".encode("latin-1")}),
    "UTF-16": (422, "UTF-16", {"body": "name,score\nana,3\n".encode("utf-16")}),
    "a truncated Parquet file": (422, "", {"body": _parquet()[:-100], "kind": PARQUET}),
    "a Parquet file that is none": (422, "", {"body": GOOD, "kind": PARQUET}),
    "gzip that is none": (422, "unpacked", {"body": GOOD, "Content_Encoding": "gzip"}),
    "gzip that was cut off": (
        422,
        "",
        {"body": gzip.compress(GOOD * 1000)[:-20], "Content_Encoding": "gzip"},
    ),
    "a bomb": (413, "", {"body": _bomb(), "Content_Encoding": "gzip"}),
    "an unknown packing": (422, "gzip or zstd", {"body": GOOD, "Content_Encoding": "br"}),
    "an unknown format": (422, "text/csv", {"body": GOOD, "kind": "application/json"}),
    "no format": (422, "Content-Type", {"body": GOOD, "kind": ""}),
    "a wrong checksum": (422, "checksum", {"body": GOOD, "Content_Digest": f"sha-256=:{'A' * 43}=:"}),
    "no checksum": (422, "Content-Digest", {"body": GOOD, "Content_Digest": ""}),
    "a checksum of another kind": (422, "sha-256", {"body": GOOD, "Content_Digest": "md5=:AAAA:"}),
    "an unknown table": (422, "there are: scores", {"body": GOOD, "table": "users"}),
    "a table that climbs": (422, "", {"body": GOOD, "table": ".."}),
    "batch 0": (422, "", {"body": GOOD, "number": 0}),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_and_still_usable(case: str) -> None:
    status, words, sent = REFUSED[case]
    caller = Caller()
    session = caller.open()
    answered, problem = caller.put(session, **{"number": 1, **sent})
    assert answered == status, problem
    assert words in problem["detail"]
    assert len(problem["detail"]) > 20, "it says what is wrong"
    assert caller.put(session, 1, GOOD)[0] == 201
    assert caller.close(session, scores=1)[0] == 200
    work_off()
    assert caller.answers(session)["total"]["rows"] == [[8, 2]]


def test_broken_rows_are_counted_by_reason() -> None:
    body = b'name,score\nana,3\nben\ncem,no number\n"dan"x,1\neva,1,2\n\xff\xfe,4\nfil,5\n'
    caller = Caller()
    session = caller.open()
    status, batch = caller.put(session, 1, body)
    assert status == 201
    assert (batch["rows"], batch["dropped"]) == (2, 5)
    assert sum(batch["reasons"].values()) == 5
    caller.close(session, scores=1)
    work_off()
    answer = caller.answers(session)["total"]
    assert answer["rows"] == [[8, 2]]
    assert sum(answer["dropped"]["scores"].values()) == 5
    assert answer["used"] == {"scores": 2}


def test_a_huge_field_is_dropped_or_refused() -> None:
    caller = Caller()
    session = caller.open()
    status, batch = caller.put(session, 1, GOOD + b'"' + b"x" * (20 << 20) + b'",1\n')
    assert (status, batch.get("rows"), batch.get("dropped")) == (201, 2, 1), batch


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT content FROM read_text('/etc/hostname'), scores",
        "COPY scores TO '/tmp/taken.csv'",
        "CREATE TABLE t AS SELECT * FROM scores",
        "SELECT 1; SELECT 2",
        "ATTACH '/tmp/x.db'",
        "SELECT * FROM scores, (INSTALL httpfs)",
    ],
)
def test_sql_that_does_more_than_read_its_tables(sql: str) -> None:
    caller = Caller()
    header = '/*\n[tables.scores]\ncolumns = { name = "VARCHAR", score = "BIGINT" }\n*/\n'
    files = {"evil.sql": header + sql, "good.sql": SCORES["total.sql"]}
    status, made = caller.call("POST", "/sessions", {"sql": files})
    if status != 201:
        assert status == 422
        return
    session = made["id"]
    caller.put(session, 1, GOOD)
    caller.close(session, scores=1)
    work_off()
    answers = caller.answers(session)
    assert (answers["evil"]["state"], answers["evil"]["complete"]) == ("failed", True)
    assert len(answers["evil"]["error"]) > 20
    assert answers["good"]["state"] == "done", "one bad question keeps no other from being answered"


def test_what_cannot_be_asked() -> None:
    caller = Caller()
    for body, status in (
        ({}, 422),
        ({"questions": "nothing"}, 404),
        ({"sql": {"x.sql": "SELECT FROM WHERE"}}, 422),
        ({"sql": {"x.sql": "SELECT $y FROM t"}}, 422),
        ({"sql": SCORES, "only": ["none"]}, 404),
        ({"sql": SCORES, "parameters": {"most": 1}}, 422),
        ({"sql": SCORES, "parameters": {"least": "many"}}, 422),
        ({"sql": SCORES, "engine": "abacus"}, 422),
    ):
        answered, problem = caller.call("POST", "/sessions", body)
        assert answered == status, (body, problem)
        assert len(problem["detail"]) > 10
    assert caller.call("GET", "/sessions")[1]["total"] == 0


def test_a_body_that_kills_its_reader_costs_that_reader_alone(tmp_path: Path) -> None:
    pool = IntakePool(1, most_seconds=0.01)
    path = tmp_path / "body.csv"
    path.write_bytes(GOOD)
    order = Order(
        body=str(path), segment=str(tmp_path / "part"), content_type="text/csv", encoding="", most_bytes=1 << 20,
        need={"name": "scores", "columns": [], "is_optional": False, "title": ""},
    )  # fmt: skip
    with pytest.raises(InvalidInput, match="could not be read"):
        pool.read(order)
    pool._most_seconds = 60
    assert pool.read(order).rows == 2
    pool.close()
