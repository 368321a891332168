"""What commands print, where there are few columns and no colours."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from rich.console import Console

from ronda.cli import diff, output


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> Console:
    console = Console(width=80, record=True, highlight=False, force_terminal=False)
    for module in (diff, output):
        monkeypatch.setattr(module, "console", console)
    return console


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Console:
    console = Console(width=80, record=True, highlight=False, force_terminal=True)
    monkeypatch.setattr(output, "console", console)
    return console


def test_long_texts_are_folded_and_ids_never_broken(terminal: Console) -> None:
    name = str(uuid.uuid4())
    output.print_table(["number", "version", "what it is about"], [(1, name, "many words " * 12)], "")
    first, second, *_ = terminal.export_text().splitlines()
    assert first.split() == ["number", "version", "what", "it", "is", "about"]
    assert second.startswith(f"1       {name}  many words")


def test_what_does_not_fit_in_a_line_is_shown_value_by_value(terminal: Console) -> None:
    columns = ["source", "url", "collection", "state", "next visit (UTC)"]
    rows = [
        (str(uuid.uuid4()), "http://example.org/", "educational", state, None)
        for state in ("active", "[ended]")
    ]
    output.print_table(columns, rows, "")
    lines = [line.split() for line in terminal.export_text().splitlines()]
    assert lines[0] == ["source", rows[0][0]]
    assert lines[3:7] == [["state", "active"], ["next", "visit", "(UTC)"], [], ["source", rows[1][0]]]
    assert lines[9] == ["state", "[ended]"]


def test_programs_read_one_line_a_row(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output, "console", Console(width=80, highlight=False, force_terminal=False))
    row = ["many words " * 30 + "end", str(uuid.uuid4())]
    output.print_table(["text", "id"], [row], "")
    assert capsys.readouterr().out.splitlines()[1].split("  ") == row


def test_names_of_facts_are_never_broken(terminal: Console) -> None:
    name = str(uuid.uuid4())
    output.print_table(["", ""], [("next_visit_because", "many words " * 12), ("source", name)], "")
    printed = terminal.export_text()
    assert "next_visit_because" in printed
    assert name in printed
    assert printed.count("many") == 12


def test_sizes_are_those_of_the_console() -> None:
    sizes = {0: "0 bytes", 1: "1 byte", 1023: "1023 bytes", 1024: "1.0 KB", 5 * 1024**2: "5.0 MB"}
    assert {number: output.size(number) for number in sizes} == sizes


def test_words_that_changed_are_marked_without_colours(narrow: Console) -> None:
    pieces: list[dict[str, Any]] = [
        {"kind": "same", "text": "Home "}, {"kind": "removed", "text": "2"}, {"kind": "added", "text": "3"},
    ]  # fmt: skip
    diff._print_inline([{"kind": "changed", "before": "Home 2", "after": "Home 3", "pieces": pieces}])
    assert narrow.export_text() == "~ Home [-2-]{+3+}\n"
