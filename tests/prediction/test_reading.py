"""Traces as people have them: what is fine is taken, what is wrong is named with its line."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ronda.prediction.errors import BadTrace
from ronda.prediction.reading import parse_trace, read_trace
from ronda.prediction.traces import Trace, course_of
from tests.prediction.telling import unhurried

HEAD = "source,changed_at"
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def parsed(*lines: str, in_any_order: bool = False) -> Trace:
    return parse_trace([f"{line}\n" for line in lines], now=NOW, in_any_order=in_any_order)


def test_all_columns_in_any_order_with_others_between() -> None:
    trace = parsed(
        "note,Changed_At, source ,notified_at,size_bytes,content_id",
        "first,2025-01-01T00:00:00Z,a,,10,x",
        '"a, note",2025-01-02T01:00:00+01:00,a,2025-01-02T00:10:00Z,,y',
        "",
        "back,2025-01-03,b,,30,x",
    )
    assert trace.names == ("a", "b")
    assert list(trace.who) == [0, 0, 1]
    assert list(np.diff(trace.at[:2])) == [86400]
    assert trace.content[0] == trace.content[2] != trace.content[1]
    assert list(trace.size_bytes)[::2] == [10, 30]
    assert (list(trace.told_who), list(trace.told_at - trace.at[1])) == ([0], [600])


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([], "is empty"),
        ([HEAD], "has no rows"),
        ([HEAD, "", " , "], "has no rows"),
        (["url,when", "a,2025-01-01"], "Line 1: no column source and no column changed_at"),
        (["source;changed_at", "a;2025-01-01"], "Line 1: no column .*parted by commas"),
        ([HEAD, "a,2025-01-01", "a,yesterday"], "Line 3: changed_at 'yesterday' is no time.*ISO 8601"),
        ([HEAD, "a,2025-13-01T00:00:00Z"], "Line 2: changed_at '2025-13-01T00:00:00Z' is no time"),
        ([HEAD, "a,1735689600"], "Line 2: changed_at '1735689600' is no time"),
        ([HEAD, "a,1869-01-01"], "Line 2: changed_at 1869-01-01 lies before 1970"),
        ([HEAD, "a,0001-01-01T00:00:00+14:00"], "Line 2: changed_at .* (is no time|lies before 1970)"),
        ([HEAD, "a,"], "Line 2: changed_at is missing"),
        ([HEAD, "a"], "Line 2: changed_at is missing"),
        ([HEAD, ",2025-01-01"], "Line 2: the source is missing"),
        ([HEAD, "a,2026-01-01T00:00:01Z"], "Line 2: changed_at .* lies in the future"),
        (
            [HEAD, "a,2025-01-02", "b,2025-01-05", "a,2025-01-01"],
            "Line 4: 'a' changes earlier than on line 2.*--sort",
        ),
        (
            [HEAD, "a,2025-01-02", "b,2025-01-02", "a,2025-01-02"],
            "Line 4: 'a' changes at the same time as on line 2",
        ),
        ([HEAD + ",size_bytes", "a,2025-01-02,-5"], "Line 2: size_bytes '-5' is no number of bytes"),
        ([HEAD + ",notified_at", "a,2025-01-02,soon"], "Line 2: notified_at 'soon' is no time"),
        ([HEAD, '"a\n\n",2025-01-02', "b,x"], "Line 5: changed_at 'x'"),
        ([HEAD, "a" * 200_000 + ",2025-01-02"], "Line 2 is not CSV"),
        ([HEAD, "a,2025-01-01", '"b,2025-01-01', "c,2025-01-01"], "Line 3 is not CSV.*A quote"),
        ([HEAD, '"a"b,2025-01-01'], "Line 2 is not CSV"),
        ([HEAD, '"a\nb",2025-01-01', "c,soon"], "Line 4: changed_at 'soon'"),
        ([HEAD, "a,2025-01-01,", "Shop, Inc,2025-01-02"], "Line 3 has 3 cells, the first line names 2"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(lines: list[str], words: str) -> None:
    text = "".join(f"{line}\n" for line in lines)
    with pytest.raises(BadTrace) as caught:
        parse_trace(text.splitlines(keepends=True), now=NOW)
    assert re.search(words, str(caught.value)), str(caught.value)


def test_two_contents_at_one_time_happen() -> None:
    trace = parsed(f"{HEAD},content_id", "a,2025-01-02,x", "a,2025-01-02,y", "a,2025-01-03,x")
    assert len(trace.at) == 3
    assert trace.content[0] == trace.content[2]
    course = course_of(trace)
    assert (len(course.at), int(course.is_change.sum())) == (2, 1), "it begins with y"
    with pytest.raises(BadTrace, match="Line 3: 'a' changes at the same time as on line 2, to nothing else"):
        parsed(f"{HEAD},content_id", "a,2025-01-02,x", "a,2025-01-02,x")


def test_any_order_if_asked() -> None:
    trace = parsed(HEAD, "b,2025-01-02", "a,2025-01-05", "b,2025-01-01", in_any_order=True)
    assert list(trace.who) == [0, 0, 1]
    assert (np.diff(trace.at[:2]) > 0).all()
    with pytest.raises(BadTrace, match="Line 3: 'a' changes at the same time"):
        parsed(HEAD, "a,2025-01-02", "a,2025-01-02", in_any_order=True)


def test_files(tmp_path: Path) -> None:
    file = tmp_path / "trace.csv"
    file.write_bytes("\ufeffsource,changed_at\r\ncafé,2025-01-01\r\n".encode())
    assert read_trace(file, now=NOW).names == ("café",)
    file.write_bytes(b"source,changed_at\na,2025-01-01\ncaf\xe9,2025-01-01\n")
    with pytest.raises(BadTrace, match="Line 3 is not UTF-8"):
        read_trace(file, now=NOW)
    file.write_bytes("source,changed_at\na,2025-01-01\n".encode("utf-16"))
    with pytest.raises(BadTrace, match="Line 1 is not UTF-8"):
        read_trace(file, now=NOW)
    for wrong in (tmp_path / "none.csv", tmp_path):
        with pytest.raises(BadTrace, match="cannot be read"):
            read_trace(wrong, now=NOW)


@unhurried
@given(st.text(max_size=300))
def test_any_text_is_read_or_refused(text: str) -> None:
    for head in ("", f"{HEAD},content_id,size_bytes,notified_at\n"):
        try:
            parse_trace((head + text).splitlines(keepends=True), now=NOW)
        except BadTrace:
            continue
