"""DuckDB, in this process: a database in memory that sees the segments it was given and nothing else."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa
from duckdb.func import FunctionNullHandling, PythonUDFType

from ronda.analysis.engines.asking import Bound, Paths, SegmentEngine
from ronda.analysis.engines.contract import Answer, Segments, Watch
from ronda.analysis.engines.results import levelled
from ronda.analysis.engines.vetting import refuse_what_tells_of_the_machine
from ronda.analysis.errors import Cancelled, FailedSql, OutOfMemory, RefusedSql
from ronda.analysis.functions import functions
from ronda.analysis.questions.model import Question, TableNeed, View
from ronda.analysis.sentiment import VADER, SentimentModel

PROGRESS_EVERY_SECONDS = 0.2
# Tables that are no segments (of PostgreSQL, of the lake): made on the connection given, and named.
Provide = Callable[[duckdb.DuckDBPyConnection], frozenset[str]]


@dataclass(frozen=True)
class Means:
    """What an engine may use."""

    threads: int = 2
    memory_bytes: int = 2 << 30
    # What does not fit into memory goes here; None: nothing does.
    spill_folder: Path | None = None
    max_spill_bytes: int = 100 << 30
    sentiment: SentimentModel = VADER


class DuckDBEngine(SegmentEngine):
    name = "duckdb"

    def __init__(self, means: Means | None = None, *, provide: Provide | None = None) -> None:
        self.means, self._provide = means or Means(), provide
        super().__init__(self.means.sentiment)

    def answer(
        self,
        question: Question,
        tables: Segments,
        parameters: Mapping[str, object] | None = None,
        *,
        watch: Watch | None = None,
    ) -> Answer:
        if self._provide and not question.is_built_in:
            raise RefusedSql("Only questions that Ronda comes with may read what Ronda gathered.")
        if not question.is_built_in:
            parts = (question.sql, question.rows_sql, *(view.sql for view in question.views))
            refuse_what_tells_of_the_machine(*(sql for sql in parts if sql))
        return super().answer(question, tables, parameters, watch=watch)

    def _open(self, segments: Paths) -> _Database:
        return _Database(self.means, segments, self._provide)


class _Database:
    """One connection, shut in; tables and views are made when a question first needs them."""

    def __init__(self, means: Means, segments: Paths, provide: Provide | None) -> None:
        self.segments, self._made = segments, set[str]()
        self._spill = means.spill_folder and Path(tempfile.mkdtemp(prefix="spill-", dir=means.spill_folder))
        self.connection = duckdb.connect(config={"threads": means.threads})
        self.provided = provide(self.connection) if provide else frozenset()
        self._shut(means, has_doors=provide is not None)
        for function in functions(means.sentiment):
            self.connection.create_function(
                function.name,
                function.run,
                ["VARCHAR"],
                function.gives,
                type=PythonUDFType.ARROW,
                null_handling=FunctionNullHandling.SPECIAL,
                # They have none. But without this DuckDB runs them over the whole dictionary of a column, and below
                # joins, for rows that nobody asked for: each call costs more than what that saves.
                side_effects=True,
            )

    def _shut(self, means: Means, *, has_doors: bool) -> None:
        """From here on it reads the segments, and nothing else of this machine."""
        settings: dict[str, object] = {
            "memory_limit": f"{means.memory_bytes // 1024}KiB",
            "max_temp_directory_size": f"{means.max_spill_bytes // 1024}KiB",
            "temp_directory": str(self._spill or ""),
            # Or a question could name a variable of ours as a table.
            "python_enable_replacements": False,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "enable_progress_bar": True,
            "enable_progress_bar_print": False,
            "allowed_paths": [path for paths in self.segments.values() for path in paths],
        }
        if not has_doors:
            settings["enable_external_access"] = False
        settings["lock_configuration"] = True
        for name, value in settings.items():
            self.connection.execute(f"SET {name} = {_literal(value)}")

    def running(self, watch: Watch) -> AbstractContextManager[None]:
        return watch.stopping(self.connection.interrupt)

    def make(self, question: Question, values: Bound, watch: Watch) -> None:
        with _as_ours(watch):
            for need in question.tables:
                if need.name not in self._made and need.name not in self.provided:
                    self._make_table(need)
            for view in question.views:
                if view.name not in self._made:
                    self._make_view(view, watch)

    def _make_table(self, need: TableNeed) -> None:
        name, paths = _quoted(need.name), list(self.segments.get(need.name, ()))
        if paths:
            self.connection.execute(f"CREATE VIEW {name} AS FROM read_parquet({_literal(paths)})")
        else:
            columns = ", ".join(f"{_quoted(column.name)} {column.type}" for column in need.columns)
            self.connection.execute(f"CREATE TABLE {name} ({columns or 'nothing INTEGER'})")
        self._made.add(need.name)

    def _make_view(self, view: View, watch: Watch) -> None:
        kind = "TABLE" if view.is_kept else "VIEW"
        with watch.telling(lambda: _share_done(self.connection), every_seconds=PROGRESS_EVERY_SECONDS):
            self.connection.execute(f"CREATE {kind} {_quoted(view.name)} AS {view.sql}")
        self._made.add(view.name)

    def select(self, sql: str, values: Bound, watch: Watch) -> pa.Table:
        """One SELECT, with the values it asks for; cancel() ends it at once."""
        with _as_ours(watch):
            statements = self.connection.extract_statements(sql)
            if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
                raise RefusedSql("A question is one SELECT, and nothing else.")
            wanted = {name: values[name] for name in statements[0].named_parameters if name in values}
            with watch.telling(lambda: _share_done(self.connection), every_seconds=PROGRESS_EVERY_SECONDS):
                return levelled(self.connection.execute(statements[0], wanted or None).to_arrow_table())

    def close(self) -> None:
        self.connection.close()
        if self._spill:
            shutil.rmtree(self._spill, ignore_errors=True)


@contextmanager
def _as_ours(watch: Watch) -> Iterator[None]:
    """DuckDB's errors in our words."""
    try:
        yield
    except duckdb.InterruptException:
        raise Cancelled from None
    except duckdb.PermissionException as error:
        raise RefusedSql(f"The question asks for more than its tables: {_first_line(error)}") from None
    except duckdb.OutOfMemoryException as error:
        hint = "Allow it more memory or a folder to spill into, or ask Spark."
        raise OutOfMemory(f"The question ran out of memory: {_first_line(error)}", hint=hint) from None
    except duckdb.Error as error:
        watch.check()
        raise FailedSql(f"The question failed: {error}") from None


def _share_done(connection: duckdb.DuckDBPyConnection) -> float | None:
    try:
        percent = connection.query_progress()
    except duckdb.Error:
        return None
    return percent / 100 if percent >= 0 else None


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    return "'" + str(value).replace("'", "''") + "'"


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
