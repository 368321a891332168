"""`ronda ask` by a server: sends the tables, shows progress, brings the answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from ronda.cli.ask_options import Asked
from ronda.cli.client import Client
from ronda.errors import InvalidInput, RondaError

if TYPE_CHECKING:
    from ronda.analysis.client import Asking
    from ronda.analysis.engines.contract import Answer

# As shells have it for Ctrl-C.
INTERRUPTED = 130


def ask_server(asked: Asked) -> list[Answer]:
    from ronda.analysis.client import Server, ask

    if asked.sentiment_model:
        raise InvalidInput("--sentiment-model works with --local: a server has its own.")
    client = Client()
    server = Server(client.base, client.token)
    with _bars() as bars:
        watcher = _watcher(bars, asked)
        try:
            found = ask(server, _asking(asked, is_packed=not client.is_here), watcher=watcher)
        except KeyboardInterrupt:
            raise _interrupted() from None
    return [_answer(one) for one in found]


def _asking(asked: Asked, *, is_packed: bool) -> Asking:
    """`is_packed`: on the way to another machine batches are compressed."""
    from ronda.analysis.client import Asking
    from ronda.analysis.questions import built_in_names
    from ronda.analysis.sniffing import declared

    is_known = asked.source in built_in_names()
    types = {
        need.name: {column.name: column.type for column in declared(need, asked.files[need.name][0]).columns}
        for need in asked.questions.tables
        if not need.columns and need.name in asked.files
    }
    return Asking(
        questions=asked.source if is_known else asked.questions.name,
        sql={} if is_known else texts_of(Path(asked.source)),
        only=[question.name for question in asked.questions.questions],
        tables=asked.files,
        columns={name: columns for name, columns in types.items() if columns},
        parameters=asked.parameters,
        engine=asked.engine,
        is_packed=is_packed,
    )


def texts_of(source: Path) -> dict[str, str]:
    """The files of a set of one's own: a folder's, or the one SQL file."""
    paths = [source] if source.is_file() else sorted(source.iterdir())
    return {path.name: path.read_text("utf-8") for path in paths if path.suffix in (".sql", ".toml")}


def _watcher(bars: Progress, asked: Asked) -> Any:
    from ronda.analysis.client.asking import Watcher

    sizes = {name: sum(path.stat().st_size for path in paths) for name, paths in asked.files.items()}
    sending = {name: bars.add_task(f"sending {name}", total=size) for name, size in sizes.items()}

    class Bars(Watcher):
        """Each table as it is acknowledged, then the questions as they are answered."""

        answering: TaskID | None = None

        def sent(self, table: str, position: int) -> None:
            bars.update(sending[table], completed=max(position, bars.tasks[sending[table]].completed))

        def told(self, state: dict[str, Any]) -> None:
            if self.answering is None:
                self.answering = bars.add_task("answering", total=None)

    return Bars()


def _answer(found: Mapping[str, Any]) -> Answer:
    """As the engine gave it; a question that failed ends the command with its reason."""
    from ronda.analysis.client.tables import table_of
    from ronda.analysis.engines.contract import Answer

    if found["error"]:
        raise RondaError(f"{found['title']}: {found['error']}")
    return Answer(
        question=found["question"],
        table=table_of(found["columns"], found["rows"]),
        used=found["used"],
        dropped=found["dropped"],
        warnings=tuple(found["warnings"]),
        parameters=found["parameters"],
        engine=found["engine"],
        seconds=found["seconds"] or 0.0,
    )


def _interrupted() -> typer.Exit:
    """What was acknowledged waits for a while: the same command goes on from there."""
    words = (
        "ronda: no longer asking. The same command goes on where this one was, if it comes within a minute."
    )
    typer.echo(words, err=True)
    return typer.Exit(INTERRUPTED)


@contextmanager
def _bars() -> Iterator[Progress]:
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as bars:
        yield bars
