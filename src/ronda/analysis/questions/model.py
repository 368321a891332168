"""What a question is: plain data, without an engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ronda.analysis.errors import BadParameter, BadTable, NoSuchQuestion

Value = str | int | float | bool | None | list[str] | list[int] | list[float]
DRAWINGS = ("table", "bar", "line", "number")


@dataclass(frozen=True)
class Column:
    """One column a table needs. Types are DuckDB's: VARCHAR, BIGINT, DOUBLE, DATE, VARCHAR[], STRUCT(…)[] …"""

    name: str
    type: str = "VARCHAR"
    # Not required: a file without it is taken in too, and the column is empty.
    is_required: bool = True


@dataclass(frozen=True)
class TableNeed:
    """A table as its questions need it. No columns: whatever columns the file has, as they are."""

    name: str
    columns: tuple[Column, ...] = ()
    is_optional: bool = False
    title: str = ""

    def column(self, name: str) -> Column | None:
        return next((column for column in self.columns if column.name == name), None)


@dataclass(frozen=True)
class Parameter:
    """What a person may choose; `$name` in the SQL. Types: VARCHAR, BIGINT, DOUBLE, BOOLEAN, and lists of them."""

    name: str
    type: str
    default: Value
    title: str = ""


@dataclass(frozen=True)
class Drawing:
    """How an answer is best shown: kind is one of DRAWINGS; x and y are columns of the answer."""

    kind: str = "table"
    x: str = ""
    y: tuple[str, ...] = ()


@dataclass(frozen=True)
class View:
    """A step shared by the questions of a set: they read it like a table."""

    name: str
    sql: str
    # CREATE TABLE: computed once and kept while the tables stay the same. CREATE VIEW: anew in each question.
    is_kept: bool = False


@dataclass(frozen=True)
class Caution:
    """What an answer says aloud when an optional table was not given."""

    without: str
    text: str


@dataclass(frozen=True)
class Question:
    """One SELECT with what it needs and how to read it."""

    set_name: str
    name: str
    title: str
    description: str
    tables: tuple[TableNeed, ...]
    parameters: tuple[Parameter, ...]
    drawing: Drawing
    sql: str
    # SELECT "table", reason, rows: how many rows of each table were used (reason is NULL) or dropped, and why.
    rows_sql: str = ""
    views: tuple[View, ...] = ()
    cautions: tuple[Caution, ...] = ()
    # Of a set that Ronda comes with; others are a stranger's SQL.
    is_built_in: bool = False

    def parameter_values(self, given: Mapping[str, object] | None = None) -> dict[str, Value]:
        """The given values, checked and converted, and the defaults of the others."""
        from ronda.analysis.questions.values import converted

        given = given or {}
        known = {parameter.name: parameter for parameter in self.parameters}
        for name in given:
            if name not in known:
                has = ", ".join(known) or "none"
                raise BadParameter(
                    f"{self.name} has no parameter {name!r}.", field=name, hint=f"It has: {has}."
                )
        return {
            name: converted(parameter, given[name]) if name in given else parameter.default
            for name, parameter in known.items()
        }


@dataclass(frozen=True)
class QuestionSet:
    """Questions over the same tables."""

    name: str
    title: str
    tables: tuple[TableNeed, ...]
    questions: tuple[Question, ...]
    description: str = ""

    def question(self, name: str) -> Question:
        for question in self.questions:
            if question.name == name:
                return question
        names = ", ".join(question.name for question in self.questions)
        raise NoSuchQuestion(f"There is no question {name!r} in {self.name}.", hint=f"It has: {names}.")

    def table(self, name: str) -> TableNeed:
        for table in self.tables:
            if table.name == name:
                return table
        names = ", ".join(table.name for table in self.tables)
        hint = f"It has: {names}." if names else "Its questions read none."
        raise BadTable(f"{self.name} has no table {name!r}.", field="table", hint=hint)
