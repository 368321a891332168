"""`ronda simulate` as people type it. No server."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ronda.cli.app import app
from ronda.errors import RondaError, exit_code

TRACE = """source,changed_at,content_id,size_bytes
https://a.example/1,2025-01-01T00:00:00Z,x,100
https://a.example/1,2025-01-02T06:00:00Z,y,200
https://a.example/1,2025-01-04T06:00:00Z,x,100
https://a.example/2,2025-01-01T00:00:00Z,z,300
https://a.example/2,2025-01-05T06:00:00Z,w,400
"""


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "trace.csv"
    path.write_text(TRACE)
    return path


def simulate(*words: str) -> str:
    ended = CliRunner().invoke(app, ["simulate", *words], env={"COLUMNS": "100"})
    if isinstance(ended.exception, RondaError):
        raise ended.exception
    assert ended.exit_code == 0, ended.output
    return ended.output


def test_json(trace: Path) -> None:
    told = json.loads(simulate(str(trace), "-p", "simple", "-p", "fixed:0.5", "--json"))
    assert (told["sources"], told["changes"], told["to"]) == (2, 3, "2025-01-06T00:00:00Z")
    simple, half = told["predictors"]
    assert (half["predictor"], half["visits"], half["captured"], half["missed"]) == ("fixed:0.5", 20, 3, 0)
    assert (half["needless"], half["stored"], half["reverts"], half["bytes_stored"]) == (17, 3, 1, 600)
    assert half["mean_delay_hours"] == pytest.approx(6)
    assert simple["visits"] == 6
    assert [entry["predictor"] for entry in told["fixed"]] == [f"fixed:{days}" for days in range(1, 31)]


def test_table(trace: Path) -> None:
    out = simulate(str(trace), "-p", "simple", "-p", "greedy", "--visits-per-day", "1")
    assert "2 sources, 3 changes, 2025-01-01 to 2025-01-06, 1 visits a source and day" in out
    assert re.search(r"^simple +10 ", out, re.MULTILINE)
    assert re.search(r"^fixed:30 +0 ", out, re.MULTILINE)
    assert "fixed:29" not in out
    assert "said below" in out


def test_scenarios_and_all_predictors() -> None:
    words = ("--scenario", "workdays", "--sources", "10", "--days", "20", "--json")
    told = json.loads(simulate(*words, "-p", "all", "--objective", "0.5", "--visits-per-day", "0.5"))
    assert {entry["visits"] for entry in told["predictors"] if entry["predictor"] != "ronda"} == {100}
    assert told["objective"] == 0.5
    again = json.loads(
        simulate(*words, "-p", "simple", "--seed", "2", "--from", "2024-01-05", "--to", "2024-01-10")
    )
    assert (again["from"], again["to"]) == ("2024-01-05T00:00:00Z", "2024-01-10T00:00:00Z")


def test_plot_needs_nothing_from_elsewhere(trace: Path, tmp_path: Path) -> None:
    page = tmp_path / "out.html"
    strange = trace.rename(tmp_path / "a<b>&.csv")
    simulate(str(strange), "-p", "simple", "-p", "greedy", "--plot", str(page))
    text = page.read_text()
    assert "a&lt;b&gt;&amp;.csv" in text
    assert text.count("<svg") == 2
    assert not re.search(r"https?://|<script|src=|@import|url\(", text)
    assert all(f">fixed:{days}<" in text for days in range(1, 31))


def test_a_trace_without_a_change(trace: Path, tmp_path: Path) -> None:
    trace.write_text("source,changed_at\na,2025-01-01\n")
    page = tmp_path / "out.html"
    told = json.loads(simulate(str(trace), "-p", "all", "--json", "--plot", str(page)))
    assert (told["to"], told["changes"]) == ("2025-01-02T00:00:00Z", 0)
    assert {entry["captured_share"] for entry in told["predictors"]} == {None}
    assert simulate(str(trace), "-p", "all", "--visits-per-day", "0.1")
    assert page.exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["{trace}", "-p", "oracle"], "There is no predictor 'oracle'. There are: "),
        (["{trace}", "-p", "fixed:zero"], "fixed:zero is no number of days"),
        (["{trace}", "--objective", "both"], "'both' is no objective"),
        (["{trace}", "--objective", "1.5"], "'1.5' is no objective"),
        (["{trace}", "--from", "soon"], "'soon' is no time"),
        (["{trace}", "--from", "2025-02-01"], "ends before it begins"),
        (["{trace}", "--to", "2025-01-01"], "Nothing happens between"),
        (["{trace}", "--step", "often"], "Write how often as"),
        (["{trace}", "--visits-per-day", "0"], "--visits-per-day is more than 0"),
        (["{trace}", "--scenario", "poisson"], "one of them"),
        ([], "Give a trace or a scenario"),
        (["--scenario", "chaos"], "There is no scenario 'chaos'"),
        (["none.csv"], "none.csv cannot be read: No such file or directory"),
        (["{trace}", "-p", "simple", "--plot", "/nowhere/out.html"], "/nowhere/out.html cannot be written"),
        (["{trace}", "-p", "daytype", "--holiday", "Easter"], "'Easter' is no holiday"),
    ],
)
def test_mistakes(trace: Path, words: list[str], said: str) -> None:
    with pytest.raises(RondaError) as caught:
        simulate(*[word.format(trace=trace) for word in words])
    assert said in str(caught.value)
    assert exit_code(caught.value) == 2


def test_bad_traces_are_named_with_the_line(trace: Path) -> None:
    trace.write_text(TRACE + "https://a.example/1,2025-01-03T00:00:00Z,q,1\n")
    with pytest.raises(RondaError, match=r"Line 7: 'https://a\.example/1' changes earlier than on line 4"):
        simulate(str(trace))
    assert json.loads(simulate(str(trace), "--sort", "--json", "-p", "simple"))["changes"] == 4
