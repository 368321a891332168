"""`ronda ask --local`: files in, answers out, on this machine."""

from __future__ import annotations

import gc
import os
import signal
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from ronda import configuration
from ronda.cli.ask_options import Asked, own_parameters

if TYPE_CHECKING:
    from ronda.analysis.engines.contract import Answer, Watch
    from ronda.analysis.engines.duckdb_engine import Means
    from ronda.analysis.questions import Question
    from ronda.analysis.sentiment import SentimentModel


def ask_local(asked: Asked) -> list[Answer]:
    from ronda.analysis.engines.contract import Watch
    from ronda.analysis.local import taking_files

    given, questions = configuration.load(), _answerable(asked)
    # What was loaded stays: nested values make many objects, and each look for garbage would go through all of it.
    gc.freeze()
    with (
        tempfile.TemporaryDirectory(prefix="ronda-ask-", ignore_cleanup_errors=True) as name,
        _judge(asked, questions) as sentiment,
        _bars() as bars,
    ):
        folder = Path(name)
        tasks = {
            table: bars.add_task(f"reading {table}", total=sum(path.stat().st_size for path in paths))
            for table, paths in asked.files.items()
        }
        with taking_files(
            asked.questions,
            asked.files,
            folder=folder,
            on_bytes=lambda table, size: bars.advance(tasks[table], size),
        ) as taking:
            # Engines take a moment to load: the first tables are read meanwhile.
            means = _means(given, folder, sentiment)
            if asked.engine == "auto" and given.spark_master:
                # By their size it is chosen.
                taking.wait_for_all()
            from ronda.analysis.engines.choosing import engine_for

            engine = engine_for(asked.engine, taking.segments, means=means, spark_master=given.spark_master)
            answers = {}
            try:
                for question in taking.in_turn(questions):
                    task = bars.add_task(question.name, total=None)
                    watch = Watch(_advancing(bars, task))
                    own = own_parameters(question, asked.parameters)
                    with _interruptible(watch):
                        answer = engine.answer(question, taking.segments, own, watch=watch)
                    bars.update(task, total=1.0, completed=1.0)
                    answers[question.name] = answer.with_dropped(taking.dropped_of(question))
            finally:
                engine.close()
    return [answers[question.name] for question in questions]


def _answerable(asked: Asked) -> list[Question]:
    from ronda.analysis.engines.contract import is_answerable
    from ronda.analysis.errors import BadTable

    found = [question for question in asked.questions.questions if is_answerable(question, asked.files)]
    if not found:
        flags = " ".join(f"--{need.name} FILE" for need in asked.questions.tables)
        hint = (
            f"Hand in one or more: {flags}."
            if flags
            else "A question reads at least one: SELECT … FROM name."
        )
        raise BadTable("There is no table to ask about.", hint=hint)
    return found


def _advancing(bars: Progress, task: TaskID) -> Callable[[float], None]:
    return lambda share: bars.update(task, total=1.0, completed=share)


@contextmanager
def _judge(asked: Asked, questions: Sequence[Question]) -> Iterator[SentimentModel]:
    """Started first, if it will be needed, so that it is ready when the tables are."""
    from ronda.analysis.judging_process import VaderBeside
    from ronda.analysis.sentiment import model_of

    if asked.sentiment_model or not any("sentiment(" in question.sql for question in questions):
        yield model_of(str(asked.sentiment_model) if asked.sentiment_model else None)
        return
    with closing(VaderBeside()) as judge:
        yield judge


def _means(given: configuration.Configuration, folder: Path, sentiment: SentimentModel) -> Means:
    from ronda.analysis.engines.duckdb_engine import Means

    return Means(
        threads=given.question_threads or os.cpu_count() or 1,
        memory_bytes=given.question_memory_bytes,
        spill_folder=folder,
        sentiment=sentiment,
    )


def _bars() -> Progress:
    told = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TimeElapsedColumn(),
        console=told,
        transient=True,
        # Nobody would see it, and drawing takes turns with reading.
        disable=not told.is_terminal,
    )


@contextmanager
def _interruptible(watch: Watch) -> Iterator[None]:
    """Ctrl-C while an engine is at work: it stops at once, and we with it."""
    before = signal.getsignal(signal.SIGINT)

    def stop(*_: object) -> None:
        watch.cancel()
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
