"""`ronda ask --local`: as people call it, in every form of output."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from bench import movies_data
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from ronda.analysis.engines.duckdb_engine import DuckDBEngine
from ronda.cli.app import app
from ronda.errors import RondaError
from tests.analysis import tables


@pytest.fixture(scope="module")
def movies(tmp_path_factory: pytest.TempPathFactory) -> movies_data.MoviesData:
    return movies_data.make(tmp_path_factory.mktemp("movies"), movies=300, ratings=2_000, seed=7, people=40)


@pytest.fixture
def reddit(tmp_path: Path) -> list[str]:
    files = tables.write(tmp_path, posts=tables.POSTS, comments=tables.COMMENTS)
    return ["ask", "reddit", "--posts", str(files["posts"]), f"--comments={files['comments']}", "--local"]


def run(*words: str) -> str:
    result = CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(*words: str) -> RondaError:
    result = CliRunner().invoke(app, list(words))
    assert isinstance(result.exception, RondaError), result.output
    return result.exception


def test_tables_on_the_terminal(reddit: list[str]) -> None:
    said = run(*reddit)
    assert "Mean score of all posts" in said
    assert "320.0" in said
    assert "Rows used: 5 of posts. Dropped: posts: 1 not a number." in said


def test_warnings_are_seen(movies: movies_data.MoviesData) -> None:
    words = [
        "--movies",
        str(movies.movies),
        "--ratings",
        str(movies.ratings),
        "--credits",
        str(movies.credits),
    ]
    said = run("ask", "movies", *words, "--local", "-q", "q3_best_and_worst_rated")
    assert "Warning: Without links.csv" in said
    said = run(
        "ask", "movies", *words, "--links", str(movies.links), "--local", "-q", "q3_best_and_worst_rated"
    )
    assert "Warning" not in said


def test_json_with_parameters(reddit: list[str]) -> None:
    told = json.loads(run(*reddit, "--json", "-p", "as_the_documents=yes", "-q", "happiest_meme"))
    assert [answer["question"] for answer in told] == ["happiest_meme"]
    assert told[0]["parameters"]["as_the_documents"] is True
    assert told[0]["rows"][0][:3] == ["aaa4", 1.0, 1]
    assert told[0]["dropped"]["comments"]["no sentiment"] == 1


def test_files_and_a_page(reddit: list[str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(*reddit, "--csv", str(out), "--parquet", str(out), "--plot", str(tmp_path / "page.html"))
    with (out / "mean_score.csv").open() as file:
        assert list(csv.reader(file)) == [["mean_score", "posts"], ["320.0", "5"]]
    assert pq.read_table(out / "happiest_meme.parquet").num_rows == 3
    page = (tmp_path / "page.html").read_text()
    assert "<svg" in page
    assert "http" not in page.replace("http-equiv", "").split("<section>")[0]
    assert "320" in page
    run(*reddit, "-q", "mean_score", "--csv", str(tmp_path / "one.csv"))
    assert (tmp_path / "one.csv").read_text() == "mean_score,posts\n320.0,5\n"


def test_a_question_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "my.sql").write_text("SELECT kind, sum(n) AS n FROM things GROUP BY kind ORDER BY kind")
    (tmp_path / "things.ndjson").write_text(
        '{"kind": "a", "n": 1}\n{"kind": "b", "n": 2}\n{"kind": "a", "n": 5}\n'
    )
    told = json.loads(
        run(
            "ask",
            str(tmp_path / "my.sql"),
            "--table",
            f"things={tmp_path / 'things.ndjson'}",
            "--local",
            "--json",
        )
    )
    assert told[0]["rows"] == [["a", 6], ["b", 2]]


def test_what_can_be_asked() -> None:
    said = run("ask", "--list")
    for name in ("q1_produced_together", "happiest_meme", "visits_by_day"):
        assert name in said
    assert "tmdbId" in run("ask", "movies", "--list")
    assert {one["set"] for one in json.loads(run("ask", "--list", "--json"))} == {"movies", "reddit", "ronda"}


def test_mistakes_say_what_to_do(reddit: list[str], tmp_path: Path) -> None:
    assert "needs comments" in str(refused(*reddit[:4], "--local"))
    assert "Did you mean --posts?" in str(refused("ask", "reddit", "--post", "x", "--local"))
    assert "There is no file" in str(
        refused("ask", "reddit", "--posts", str(tmp_path / "none.csv"), "--local")
    )
    assert "has a parameter 'top'" in str(refused(*reddit, "-q", "mean_score", "-p", "top=3"))
    assert "takes a whole number" in str(refused(*reddit, "-p", "top=many"))
    assert "There is no engine" in str(refused(*reddit, "--engine", "abacus"))
    (tmp_path / "bad.csv").write_text("a,b\n1,2\n")
    said = str(refused("ask", "reddit", "--posts", str(tmp_path / "bad.csv"), *reddit[4:]))
    assert "bad.csv: posts lacks 'id'" in said


def test_without_java_spark_says_what_to_install(reddit: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", "/nonexistent")
    assert "openjdk-17-jre-headless" in str(refused(*reddit, "--engine", "spark"))


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10_000), parts=st.integers(1, 4))
def test_any_order_and_any_split_give_the_same_answers(
    movies: movies_data.MoviesData, tmp_path: Path, seed: int, parts: int
) -> None:
    chance = random.Random(seed)
    files = tables.movies_files(movies)
    shuffled = {name: _shuffled(path, tmp_path, parts, chance) for name, path in files.items()}
    with DuckDBEngine() as one, DuckDBEngine() as other:
        before, after = tables.answers(one, "movies", files), tables.answers(other, "movies", shuffled)
    for name, answer in before.items():
        assert after[name].table.equals(answer.table)
        assert (after[name].used, after[name].dropped) == (answer.used, answer.dropped)


def _shuffled(path: Path, folder: Path, parts: int, chance: random.Random) -> list[Path]:
    """The rows of a file in another order, in several files."""
    with path.open(newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    chance.shuffle(rows)
    made = []
    for number in range(parts):
        made.append(folder / f"{path.stem}-{number}.csv")
        with made[-1].open("w", newline="", encoding="utf-8") as out:
            csv.writer(out, lineterminator="\n").writerows([head, *rows[number::parts]])
    return made


def test_one_of_the_countries_is_enough_if_asked(movies: movies_data.MoviesData) -> None:
    """As the document has it, which says "or" where its assignment says "and"."""
    words = [
        "ask",
        "movies",
        "--movies",
        str(movies.movies),
        "--local",
        "-q",
        "q1_produced_together",
        "--json",
    ]
    (both,) = json.loads(run(*words))
    (one,) = json.loads(run(*words, "-p", "any_of_them=yes"))
    (spain,) = json.loads(run(*words, "-p", "countries=Spain"))
    (argentina,) = json.loads(run(*words, "-p", "countries=Argentina"))
    ids = [{row[3] for row in answer["rows"]} for answer in (both, one, spain, argentina)]
    assert ids[0] == ids[2] & ids[3]
    assert ids[1] == ids[2] | ids[3] != ids[0]
