"""Questions as files: what Ronda comes with loads, what a person writes loads or is refused with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from ronda.analysis.engines.transpiling import for_spark
from ronda.analysis.errors import BadQuestion, FailedSql, NoSuchQuestion, NoSuchSet, RefusedSql
from ronda.analysis.literals import NotALiteral, names_in, parsed
from ronda.analysis.questions import built_in_names, load, load_folder, set_of_texts


def test_sets_that_ronda_comes_with() -> None:
    assert built_in_names() == ("movies", "reddit", "ronda")
    movies = load("movies")
    assert [table.name for table in movies.tables if table.is_optional] == ["links"]
    assert len(load("ronda").questions) >= 10
    for name in built_in_names():
        for question in load(name).questions:
            assert question.title
            assert question.description
            assert question.is_built_in
            tables = [*(need.name for need in question.tables), *(view.name for view in question.views)]
            values = question.parameter_values() | {"sentiment_model": "x"}
            values |= {f"has_{need.name}": True for need in question.tables}
            assert for_spark(question.sql, tables=tables, values=values)


def test_a_folder_and_a_single_file_are_sets(tmp_path: Path) -> None:
    (tmp_path / "set.toml").write_text('title = "Mine"\n[tables.t.columns]\na = "BIGINT"\nb = "VARCHAR?"\n')
    (tmp_path / "views.sql").write_text("-- Twice.\nCREATE VIEW doubled AS SELECT 2 * a AS a FROM t;\n")
    (tmp_path / "first.sql").write_text('/*\ntitle = "One"\ntables = ["t"]\n*/\nSELECT a FROM doubled;\n')
    (tmp_path / "second.sql").write_text("SELECT a FROM t")
    mine = load_folder(tmp_path)
    assert [question.name for question in mine.questions] == ["first", "second"]
    assert [view.name for view in mine.question("first").views] == ["doubled"]
    assert mine.question("second").views == ()
    assert [column.is_required for column in mine.table("t").columns] == [True, False]
    with pytest.raises(NoSuchQuestion, match="It has: first, second"):
        mine.question("third")
    single = load(str(tmp_path / "second.sql"))
    assert [need.name for need in single.tables] == ["t"]
    assert single.tables[0].columns == ()
    with pytest.raises(NoSuchSet, match="movies, reddit, ronda"):
        load("nothing")


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("/*\ntitle = 'x'\ntables = [\n*/\nSELECT 1", 4, "header is TOML"),
        ("/*\ntitle = 'x'\ncolour = 'red'\n*/\nSELECT 1", 3, "no 'colour'"),
        ("/*\ntitle = 5\n*/\nSELECT 1", 2, "title is a text"),
        ("/*\n[parameters.n]\ntype = 'INT'\ndefault = 1\n*/\nSELECT 1", 2, "INT is no type of a parameter"),
        ("/*\n[parameters.n]\ntype = 'BIGINT'\n*/\nSELECT 1", 2, "n has no default"),
        ("/*\n[parameters.n]\ntype = 'BIGINT'\ndefault = 'x'\n*/\nSELECT 1", 2, "takes a whole number"),
        ("/*\n[tables.t.columns]\na = 'NUMBER'\n*/\nSELECT 1", 3, "'NUMBER' is no type of a column"),
        ("/*\ntables = ['t']\n*/\nSELECT 1", 2, r"no table 't'.*\[tables\.t\.columns\]"),
        ("/*\n[drawing]\nkind = 'pie'\n*/\nSELECT 1", 3, "'pie' is no way to draw"),
        ("/*\ntitle = 'x'\n*/\nSELECT '$a',\n  $b\nFROM t", 5, r"\$b is no parameter"),
        ("SELECT a\nFROM t WHERE (", 2, "cannot be read"),
        ("/*\ntitle = 'x'\n*/\n", 3, "no SQL"),
    ],
)
def test_mistakes_are_named_with_file_and_line(text: str, line: int, said: str) -> None:
    with pytest.raises(BadQuestion, match=said) as caught:
        set_of_texts({"mine.sql": text}, name="mine")
    assert str(caught.value).startswith(f"mine.sql, line {line}: ")


def test_spark_is_asked_about_given_tables_only() -> None:
    for sql in (
        "SELECT * FROM parquet.`/etc`",
        "SELECT * FROM other",
        "SELECT reflect('java.lang.System', 'exit')",
    ):
        with pytest.raises((RefusedSql, FailedSql)):
            for_spark(sql, tables=["t"], values={})
    with pytest.raises(RefusedSql, match="reflect"):
        for_spark("SELECT reflect('java.lang.System', 'exit') FROM t", tables=["t"], values={})
    spark = for_spark("SELECT a FROM t WHERE a > $n LIMIT $top", tables=["T"], values={"n": 5, "top": 3})
    assert spark == "SELECT a FROM t WHERE a > CAST(5 AS BIGINT) LIMIT CAST(3 AS INT)"


@pytest.mark.parametrize(
    "value",
    [
        [{"name": "O'Brien", "id": 1, "x": None}, {"name": 'Say "hi"', "ok": True}],
        [{"name": "back\\slash \n\t é ☃ \x07"}],
        [],
        {"a": [1, -2.5, 1e300], "None": "None, True"},
        "it's",
    ],
)
def test_python_literals_are_read_without_evaluating(value: object) -> None:
    assert parsed(repr(value)) == value


def test_what_is_no_literal() -> None:
    for text in ("[{'a': 1}", "__import__('os')", "[1, 2", "", "{'a': open('/etc/passwd')}", "[" * 100_000):
        with pytest.raises(NotALiteral):
            parsed(text)
    assert names_in("[{'id': 1, 'name': 'A'}, {'id': 2}, {'name': None}]") == ("A",)
    assert names_in("{'name': 'A'}") is None
