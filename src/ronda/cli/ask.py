"""`ronda ask`: questions about tables, by a server or without any."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ronda.cli.ask_options import Asked, Shown, files_of, parameters_of
from ronda.cli.output import AsJson, console, print_json, print_table

# Tables are named as options (--movies FILE), and which there are only the set knows.
CONTEXT = {"allow_extra_args": True, "ignore_unknown_options": True}


def ask(
    context: typer.Context,
    questions: Annotated[
        str,
        typer.Argument(
            metavar="[SET|FOLDER|FILE.sql]", help="movies, reddit, … (--list), or questions of your own."
        ),
    ] = "",
    table: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=FILE", help="A table; `--NAME FILE` does the same. More files: say it again."
        ),
    ] = None,
    question: Annotated[
        list[str] | None, typer.Option("--question", "-q", help="Only this one; say it again for more.")
    ] = None,
    parameter: Annotated[
        list[str] | None,
        typer.Option("--parameter", "-p", metavar="NAME=VALUE", help="Instead of its default."),
    ] = None,
    local: Annotated[bool, typer.Option("--local", help="Without a server, on this machine.")] = False,
    engine: Annotated[str, typer.Option(help="duckdb, spark, or auto: by size.")] = "auto",
    sentiment_model: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="A transformers model instead of VADER; with --local."),
    ] = None,
    list_all: Annotated[bool, typer.Option("--list", help="Say what can be asked, and stop.")] = False,
    as_json: AsJson = False,
    csv: Annotated[
        Path | None,
        typer.Option(metavar="PATH", help="Write CSV: a file, or a folder if there are more answers."),
    ] = None,
    parquet: Annotated[
        Path | None, typer.Option(metavar="PATH", help="Write Parquet: a file, or a folder likewise.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(metavar="OUT.html", help="Draw it into this file.")] = None,
) -> None:
    """Ask about tables: CSV, NDJSON, Parquet or Arrow files, plain, gzip or zstd.

    ronda ask movies --movies F --ratings F --credits F [--links F] · ronda ask reddit --posts F --comments F ·
    ronda ask my.sql --table name=FILE
    """
    # Loading the engines takes longer than most commands.
    from ronda.analysis.local import narrowed
    from ronda.analysis.questions import load

    if list_all or not questions:
        _list(questions, as_json)
        return
    whole = load(questions)
    chosen = narrowed(whole, question or [])
    files = files_of(whole, table or [], context.args)
    asked = Asked(
        questions=chosen,
        source=questions,
        # Of a table that is not asked about nothing is read.
        files={need.name: files[need.name] for need in chosen.tables if need.name in files},
        parameters=parameters_of(chosen, parameter or []),
        engine=engine,
        sentiment_model=sentiment_model,
    )
    if local:
        from ronda.cli.ask_local import ask_local

        answers = ask_local(asked)
    else:
        from ronda.cli.ask_server import ask_server

        answers = ask_server(asked)
    from ronda.cli.answers import show

    show(answers, chosen, Shown(as_json, csv, parquet, plot))


def _list(name: str, as_json: bool) -> None:
    """Every set with its questions; of one set also tables and parameters."""
    from ronda.analysis.questions import built_in_names, load

    sets = [load(one) for one in ([name] if name else built_in_names())]
    if as_json:
        print_json(
            [
                {
                    "set": one.name,
                    "title": one.title,
                    "tables": {
                        need.name: {column.name: column.type for column in need.columns}
                        for need in one.tables
                    },
                    "questions": [
                        {
                            "name": question.name,
                            "title": question.title,
                            "description": question.description,
                            "parameters": {each.name: each.default for each in question.parameters},
                        }
                        for question in one.questions
                    ],
                }
                for one in sets
            ]
        )
        return
    rows = [(one.name, question.name, question.title) for one in sets for question in one.questions]
    print_table(("set", "question", "what it says"), rows, "There are no questions.")
    if not name:
        return
    console.print()
    tables = [
        (need.name + (" (optional)" if need.is_optional else ""), ", ".join(c.name for c in need.columns))
        for need in sets[0].tables
    ]
    print_table(("table", "columns"), tables, "")
    parameters = [
        (question.name, each.name, each.default, each.title)
        for question in sets[0].questions
        for each in question.parameters
    ]
    console.print()
    print_table(("question", "parameter", "default", "what it is"), parameters, "No parameters.")
