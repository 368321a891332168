"""How answers are shown: tables on the terminal, JSON, CSV, Parquet, a page with drawings."""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.markup import escape
from rich.table import Table

from ronda.cli.ask_options import Shown
from ronda.cli.files import write_text
from ronda.cli.output import console, print_json
from ronda.errors import InvalidInput

if TYPE_CHECKING:
    from ronda.analysis.engines.contract import Answer
    from ronda.analysis.questions import Question, QuestionSet

ROWS_SHOWN = 40


def show(answers: Sequence[Answer], questions: QuestionSet, shown: Shown) -> None:
    """Files first, so that nothing is said to be done before it is."""
    if shown.csv:
        for answer, path in _paths(answers, shown.csv, ".csv"):
            _write_csv(answer, path)
    if shown.parquet:
        for answer, path in _paths(answers, shown.parquet, ".parquet"):
            _write_parquet(answer, path)
    if shown.plot:
        from ronda.analysis.plot_page import plot_page

        write_text(shown.plot, plot_page(questions, answers))
    if shown.as_json:
        print_json([as_dict(answer, questions.question(answer.question)) for answer in answers])
    elif not (shown.csv or shown.parquet or shown.plot):
        for answer in answers:
            _print(answer, questions.question(answer.question))


def as_dict(answer: Answer, question: Question) -> dict[str, Any]:
    return {
        "question": answer.question,
        "title": question.title,
        "columns": answer.columns,
        "rows": [[plain(value) for value in row] for row in answer.rows],
        "used": dict(answer.used),
        "dropped": {table: dict(reasons) for table, reasons in answer.dropped.items()},
        "warnings": list(answer.warnings),
        "parameters": dict(answer.parameters),
        "engine": answer.engine,
        "seconds": round(answer.seconds, 3),
    }


def plain(value: Any) -> Any:
    """As JSON has it: moments as ISO 8601 writes them."""
    if isinstance(value, list):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def _paths(answers: Sequence[Answer], path: Path, suffix: str) -> list[tuple[Answer, Path]]:
    """One answer: this file. More: a folder with a file each."""
    if len(answers) == 1 and not path.is_dir():
        return [(answers[0], path)]
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"{path} is no folder for several answers: {error.strerror}.") from None
    return [(answer, path / f"{answer.question}{suffix}") for answer in answers]


def _write_csv(answer: Answer, path: Path) -> None:
    try:
        with sys.stdout if str(path) == "-" else path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(answer.columns)
            writer.writerows([_cell(value) for value in row] for row in answer.rows)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}.") from None


def _write_parquet(answer: Answer, path: Path) -> None:
    import pyarrow.parquet as pq

    try:
        pq.write_table(answer.table, path)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error}.") from None


def _print(answer: Answer, question: Question) -> None:
    console.print(f"[bold]{escape(question.title)}[/bold]", soft_wrap=True)
    for warning in answer.warnings:
        console.print(f"[yellow]Warning:[/yellow] {escape(warning)}", soft_wrap=True)
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name, column in zip(answer.columns, answer.table.columns, strict=True):
        is_number = column.type in _numbers()
        table.add_column(escape(name), justify="right" if is_number else "left", overflow="fold")
    for row in answer.rows[:ROWS_SHOWN]:
        table.add_row(*(escape(_cell(value)) for value in row))
    console.print(table if answer.rows else "No rows.")
    if len(answer.rows) > ROWS_SHOWN:
        console.print(
            f"… and {len(answer.rows) - ROWS_SHOWN:,} more rows: --csv, --json or --parquet has them."
        )
    console.print(f"[dim]{escape(_made_of(answer))}[/dim]\n", soft_wrap=True)


def _numbers() -> tuple[Any, ...]:
    import pyarrow as pa

    return (pa.int64(), pa.float64())


def _made_of(answer: Answer) -> str:
    used = ", ".join(f"{count:,} of {table}" for table, count in answer.used.items())
    lost = "; ".join(
        f"{table}: " + ", ".join(f"{count:,} {reason}" for reason, count in reasons.items())
        for table, reasons in answer.dropped.items()
        if reasons
    )
    # Of Ronda's own tables nobody counts how many rows there are to be read.
    rows = f"Rows used: {used}. Dropped: {lost or 'none'}. " if used else ""
    return f"{rows}{answer.seconds:.2f} s on {answer.engine}."


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(_cell(one) for one in value)
    return str(value)
