"""The same picture in the console and on a page of `--plot`."""

from __future__ import annotations

import re

import pyarrow as pa
import pytest

from ronda.analysis.drawing import HEIGHT, WIDTH, picture_of
from ronda.analysis.engines.contract import Answer
from ronda.analysis.plot_page import plot_page
from ronda.analysis.questions import set_of_texts
from ronda.analysis.questions.model import Drawing


def page_of(kind: str, rows: list[tuple[object, object]]) -> str:
    header = f"/*\n[drawing]\nkind = '{kind}'\nx = 'day'\ny = ['n']\n*/\nSELECT day, n FROM t"
    table = pa.table({"day": [row[0] for row in rows], "n": [row[1] for row in rows]})
    return plot_page(set_of_texts({"one.sql": header}, name="one"), [Answer("one", table)])


def test_bars_of_both_signs_and_only_so_many() -> None:
    rows = [(f"day {number}", number - 2) for number in range(30)]
    picture = picture_of(Drawing("bar", "day", ("n",)), ["day", "n"], rows)
    assert picture is not None
    assert picture.left_out == 6
    assert picture.series[0].bars[0].is_negative
    page = page_of("bar", rows)
    assert page.count("<rect") == len(picture.series[0].bars) == 24
    assert page.count("class=negative") == 2
    assert "6 more are in the table" in page


def test_a_line_stays_within_its_box() -> None:
    picture = picture_of(Drawing("line", "day", ("n",)), ["day", "n"], [("a", 5), ("b", None), ("c", -7)])
    assert picture is not None
    points = [tuple(map(float, point.split(","))) for point in picture.series[0].points.split()]
    assert [x for x, _ in points] == [0, WIDTH]
    assert all(0 <= y <= HEIGHT for _, y in points)
    page = page_of("line", [("a", 5), ("b", None), ("c", -7)])
    assert picture.series[0].points in page


@pytest.mark.parametrize("kind", ["line", "bar"])
def test_one_value_alone_is_a_bar(kind: str) -> None:
    page = page_of(kind, [("a", 5)])
    assert page.count("<rect") == 1
    assert "<polyline" not in page


def test_what_people_wrote_is_no_markup() -> None:
    page = page_of("bar", [("<script>x</script>", 1)])
    assert "<script" not in page
    assert len(re.findall("&lt;script&gt;", page)) == 2
