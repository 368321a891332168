"""One contract for every engine: the same answers as plain Python gives, every row counted, cancelled at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bench import movies_data, plain_answers, reddit_data

from ronda.analysis.engines.contract import Engine, Watch
from ronda.analysis.engines.duckdb_engine import DuckDBEngine, Means
from ronda.analysis.engines.java import require_java
from ronda.analysis.engines.spark_engine import SparkEngine
from ronda.analysis.engines.spark_session import stop_spark
from ronda.analysis.errors import BadParameter, BadTable, Cancelled, EngineMissing, FailedSql, RefusedSql
from ronda.analysis.local import taking_files
from ronda.analysis.questions import load, set_of_texts
from tests.analysis import tables

pytestmark = [
    # Of pyspark, where a newer pandas is there; of py4j and Spark's helpers, which leave sockets to the collector.
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:pyspark"),
]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> tuple[movies_data.MoviesData, reddit_data.RedditData]:
    folder = tmp_path_factory.mktemp("tables")
    return (
        movies_data.make(folder, movies=900, ratings=6_000, seed=5, people=60),
        reddit_data.make(folder, posts=300, comments=3_000, seed=5),
    )


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    pytest.importorskip("pyspark", reason="Spark is not installed: pip install 'ronda[spark]'")
    try:
        require_java()
    except EngineMissing as error:
        pytest.skip(str(error))
    # Tables this small are answered faster as they are than by compiled code.
    settings = {
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    }
    engine = SparkEngine("local[2]", folder=str(tmp_path_factory.mktemp("spark")), settings=settings)
    yield engine
    engine.close()
    stop_spark()


@pytest.fixture(params=["duckdb", "spark"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    if request.param == "spark":
        yield request.getfixturevalue("spark")
        return
    with DuckDBEngine(Means(threads=2)) as made:
        yield made


def test_movies_as_plain_python_has_them(engine: Engine, data: tuple[Any, Any]) -> None:
    found = tables.answers(engine, "movies", tables.movies_files(data[0]))
    assert {name: answer.rows for name, answer in found.items()} == plain_answers.all_movies_answers(data[0])
    assert found["q1_produced_together"].rows
    assert len(found["q4_actors"].rows) == 10
    assert not found["q3_best_and_worst_rated"].warnings
    q5 = found["q5_sentiment"]
    assert [row[0] for row in q5.rows] == ["NEGATIVE", "POSITIVE"]
    lines = sum(1 for _ in _records(data[0].movies))
    assert q5.used["movies"] + sum(q5.dropped["movies"].values()) == lines
    assert q5.dropped["movies"]["wrong number of columns"] > 0


def test_without_links_the_documents_key_is_taken_and_said(engine: Engine, data: tuple[Any, Any]) -> None:
    files = tables.movies_files(data[0], links=False)
    (answer,) = tables.answers(engine, "movies", files, only=["q3_best_and_worst_rated"]).values()
    assert answer.rows == plain_answers.all_movies_answers(data[0], links=False)["q3_best_and_worst_rated"]
    assert {row[-1] for row in answer.rows} == {"id taken for movieId"}
    assert "other movies" in answer.warnings[0]


@pytest.mark.parametrize("as_the_documents", [False, True])
def test_reddit_as_plain_python_has_it(engine: Engine, data: tuple[Any, Any], as_the_documents: bool) -> None:
    files = tables.reddit_files(data[1])
    found = tables.answers(engine, "reddit", files, {"as_the_documents": as_the_documents})
    wanted = plain_answers.all_reddit_answers(data[1], as_the_documents=as_the_documents)
    assert {name: answer.rows for name, answer in found.items()} == wanted
    for name in ("student_favourites", "happiest_meme"):
        assert wanted[name]
        for table, file in files.items():
            counted = found[name].used[table] + sum(found[name].dropped[table].values())
            assert counted == sum(1 for _ in _records(file))


def test_a_post_that_stands_twice(engine: Engine, tmp_path: Path) -> None:
    """Every row counts in the mean, as in the published one; the post itself is named once."""
    row = next(line for line in tables.POSTS.splitlines() if ",aaa5," in line)
    files = tables.write(tmp_path, posts=tables.POSTS + row + "\n", comments=tables.COMMENTS)
    found = tables.answers(engine, "reddit", files)
    assert found["mean_score"].rows == [(pytest.approx((5 * 320 + 1000) / 6), 6)]
    assert [row[0] for row in found["student_favourites"].rows] == ["aaa5"]
    named = [row[0] for row in found["happiest_meme"].rows]
    assert len(named) == len(set(named))
    for answer in found.values():
        assert (
            answer.used["posts"] + sum(answer.dropped["posts"].values()) == tables.POSTS.count("\npost,") + 1
        )


def test_few_rows_with_every_rule_in_them(engine: Engine, tmp_path: Path) -> None:
    files = tables.write(tmp_path, posts=tables.POSTS, comments=tables.COMMENTS)
    found = tables.answers(engine, "reddit", files)
    assert found["mean_score"].rows == [(320.0, 5)]
    # Above the mean is only aaa5; its comment about professors has no sentiment, which does not matter here.
    assert [row[0] for row in found["student_favourites"].rows] == ["aaa5"]
    # Without an image: aaa3, aaa4. The removed text of aaa5 does not count.
    happiest = [(row[0], row[1], row[2]) for row in found["happiest_meme"].rows]
    assert happiest == [("aaa1", 0.9, 1), ("aaa2", 0.6, 2), ("aaa5", 0.6, 1)]
    assert found["happiest_meme"].dropped["comments"] == {
        "a deleted or removed text": 1,
        "no post in its permalink": 1,
        "no sentiment": 1,
        "no text": 1,
    }
    assert found["mean_score"].dropped["posts"] == {"not a number": 1}
    documents = tables.answers(engine, "reddit", files, {"as_the_documents": True})
    assert documents["student_favourites"].rows == []
    happiest = [(row[0], row[1], row[2]) for row in documents["happiest_meme"].rows]
    assert happiest == [("aaa4", 1.0, 1), ("aaa1", 0.9, 1), ("aaa5", 0.795, 2), ("aaa2", 0.6, 2)]


def test_questions_of_ones_own(engine: Engine, tmp_path: Path) -> None:
    sql = """/*
    title = "Mine"
    [parameters.words]
    type = "VARCHAR[]"
    default = ["a", "b"]
    [tables.things.columns]
    name = "VARCHAR"
    price = "DOUBLE"
    tags = "VARCHAR[]"
    */
    SELECT name, sum(price) AS price FROM things WHERE list_has_all(tags, $words) GROUP BY name ORDER BY name"""
    (tmp_path / "mine.sql").write_text(sql)
    text = 'name,price,tags\nx,1.5,"[\'a\', \'b\']"\ny,2,"[""a""]"\nx,3,"[\'b\', None, \'a\']"\nz,oops,[]\n'
    files = tables.write(tmp_path, things=text)
    (answer,) = tables.answers(engine, str(tmp_path / "mine.sql"), files).values()
    assert answer.rows == [("x", 4.5)]
    assert (answer.used, answer.dropped) == ({"things": 3}, {"things": {"not a number": 1}})
    (answer,) = tables.answers(engine, str(tmp_path / "mine.sql"), files, {"words": "a"}).values()
    assert answer.rows == [("x", 4.5), ("y", 2.0)]


@pytest.mark.parametrize(
    ("sql", "error"),
    [
        ("SELECT * FROM read_csv('/etc/passwd')", RefusedSql),
        ("SELECT * FROM t; DROP TABLE t", RefusedSql),
        ("COPY t TO '/tmp/out.csv'", RefusedSql),
        ("SET threads = 100", RefusedSql),
        ("SELECT no_such_column FROM t", FailedSql),
        ("SELECT * FROM t WHERE", FailedSql),
    ],
)
def test_sql_that_wants_more_than_its_tables(
    engine: Engine, tmp_path: Path, sql: str, error: type[Exception]
) -> None:
    header = '/*\n[tables.t.columns]\na = "BIGINT"\n*/\n'
    questions = set_of_texts({"mine.sql": header + sql}, name="mine")
    files = tables.write(tmp_path, t="a\n1\n")
    with taking_files(questions, {"t": [files["t"]]}) as taking:
        taking.wait_for_all()
        with pytest.raises(error):
            engine.answer(questions.questions[0], taking.segments)
    # The engine stays usable.
    good = set_of_texts({"mine.sql": header + "SELECT a FROM t"}, name="mine")
    with taking_files(good, {"t": [files["t"]]}) as taking:
        taking.wait_for_all()
        assert engine.answer(good.questions[0], taking.segments).rows == [(1,)]


def test_missing_tables_and_wrong_parameters_are_named(engine: Engine) -> None:
    question = load("movies").question("q3_best_and_worst_rated")
    with pytest.raises(BadTable, match=r"needs the table movies, ratings"):
        engine.answer(question, {})
    with pytest.raises(BadParameter, match=r"since_year takes a whole number"):
        engine.answer(question, {}, {"since_year": "soon"})
    with pytest.raises(BadParameter, match=r"no parameter 'until'"):
        engine.answer(question, {}, {"until": 1})


def test_tells_how_far_it_is_and_is_cancelled_at_once(engine: Engine, tmp_path: Path) -> None:
    header = '/*\n[tables.t.columns]\na = "BIGINT"\n*/\n'
    slow = "SELECT sum(x.a * y.a % 7 + z.a) AS s FROM t AS x CROSS JOIN t AS y CROSS JOIN t AS z"
    questions = set_of_texts({"slow.sql": header + slow}, name="slow")
    files = tables.write(tmp_path, t="a\n" + "\n".join(map(str, range(20_000))) + "\n")
    told: list[float] = []

    def hear(share: float) -> None:
        told.append(share)
        watch.cancel()

    watch = Watch(hear)
    with taking_files(questions, {"t": [files["t"]]}) as taking:
        taking.wait_for_all()
        with pytest.raises(Cancelled):  # It would take hours.
            engine.answer(questions.questions[0], taking.segments, watch=watch)
    assert all(0 <= share < 1 for share in told)


def _records(path: Path) -> Iterator[list[str]]:
    import csv

    with path.open(newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        next(rows)
        yield from rows
