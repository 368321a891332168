"""`ronda wiki` asks histories: numbers, lists, questions of one's own, files."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq

from tests.cli.test_archive_commands import command
from tests.running import RunningRonda


def test_questions_through_the_terminal(shared_ronda: RunningRonda, tmp_path: Path) -> None:
    code, out, errors = command(shared_ronda, "wiki", "count", "--user", "Nobody at all", "--json")
    assert (code, json.loads(out)["count"]) == (0, 0), errors
    code, out, _ = command(
        shared_ronda, "wiki", "avg", "--datestart", "2002-01-01", "--dateend", "2002-01-10"
    )
    assert (code, "in 10 days" in out) == (0, True)
    code, out, _ = command(shared_ronda, "wiki", "mode", "user", "--title", "No such article")
    assert (code, out.strip()) == (0, "No revision passes these filters.")
    code, out, _ = command(shared_ronda, "wiki", "revisions", "--title", "No such article", "--json")
    assert (code, json.loads(out)) == (0, [])
    code, out, _ = command(shared_ronda, "wiki", "query", "SELECT 6 * 7 AS answer")
    assert (code, out.split()) == (0, ["answer", "42"])
    question = tmp_path / "question.json"
    question.write_text('[{"$match": {"pageid": -1}}, {"$count": "n"}]')
    code, out, _ = command(shared_ronda, "wiki", "query", f"@{question}", "--json")
    assert (code, json.loads(out)) == (0, [])
    target = tmp_path / "answer.parquet"
    assert command(shared_ronda, "wiki", "query", "SELECT 1 AS one", "-o", str(target))[0] == 0
    assert pq.read_table(target).to_pylist() == [{"one": 1}]


def test_mistakes(shared_ronda: RunningRonda, tmp_path: Path) -> None:
    code, _, errors = command(shared_ronda, "wiki", "query", '[{"$lookup": {}}]')
    assert (code, "$lookup" in errors) == (2, True)
    code, _, errors = command(shared_ronda, "wiki", "query", "DROP TABLE revisions")
    assert (code, "SELECT" in errors) == (2, True)
    assert command(shared_ronda, "wiki", "query", "SELECT 1", "-o", str(tmp_path / "x.docx"))[0] == 2
    assert command(shared_ronda, "wiki", "mode", "colour")[0] == 2
    assert command(shared_ronda, "wiki", "stats", "999999")[0] == 1
    code, _, errors = command(shared_ronda, "wiki", "stats", "No such article")
    assert (code, "0 articles are called" in errors) == (1, True)
    assert command(shared_ronda, "wiki", "diff", "999999")[0] == 1
