"""Answers and parameters as templates show them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ronda.analysis import asked
from ronda.analysis.answer_bodies import rows_of
from ronda.analysis.drawing import Picture, picture_of
from ronda.analysis.models import AnswerRow, Session
from ronda.analysis.questions import Question

ROWS_SHOWN = 25


@dataclass(frozen=True)
class ParameterField:
    name: str
    title: str
    value: str
    type: str


@dataclass(frozen=True)
class ShownAnswer:
    row: AnswerRow
    question: Question
    fields: list[ParameterField]
    columns: list[str] = field(default_factory=list)
    rows: list[list[Any]] = field(default_factory=list)
    picture: Picture | None = None

    @property
    def left_out(self) -> int:
        return int(self.row.row_count) - len(self.rows)

    @property
    def seen_rows(self) -> int:
        return sum(table["rows"] for table in self.row.seen.values())

    @property
    def is_other(self) -> bool:
        """Asked again, with other parameters."""
        return bool(self.row.key)


def answer_shown(row: AnswerRow, session: Session, *, with_rows: bool = True) -> ShownAnswer:
    question = asked.of_session(session).set.question(row.question)
    fields = parameter_fields(question, row.parameters)
    if not with_rows:
        return ShownAnswer(row, question, fields)
    columns = [column["name"] for column in row.columns]
    rows = rows_of(row.body)
    picture = picture_of(question.drawing, columns, rows)
    return ShownAnswer(row, question, fields, columns, rows[:ROWS_SHOWN], picture)


def parameter_fields(question: Question, values: Mapping[str, Any] | None = None) -> list[ParameterField]:
    return [
        ParameterField(
            parameter.name,
            parameter.title or parameter.name,
            _text((values or {}).get(parameter.name, parameter.default)),
            parameter.type,
        )
        for parameter in question.parameters
    ]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
