"""What a session asks: its set, its questions, the tables they need."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings

from ronda.analysis.column_types import is_known
from ronda.analysis.errors import BadParameter, NoSuchSet
from ronda.analysis.models import Session
from ronda.analysis.questions import (
    Column,
    Question,
    QuestionSet,
    TableNeed,
    Value,
    built_in_names,
    load_built_in,
    load_folder,
    set_of_texts,
)
from ronda.errors import InvalidInput

OWN_NAME = "own"


@dataclass(frozen=True)
class Asked:
    """A set and those of its questions that are wanted."""

    set: QuestionSet
    questions: tuple[Question, ...]

    @property
    def tables(self) -> dict[str, TableNeed]:
        """What may be handed in: all tables of the set, also those that these questions do not read."""
        return {table.name: table for table in self.set.tables}

    @property
    def required(self) -> list[str]:
        """What these questions cannot do without, in the set's order."""
        needs = [table for question in self.questions for table in question.tables]
        read = {table.name for table in needs if not table.is_optional}
        return [table.name for table in self.set.tables if table.name in read]

    def parameters_of(self, question: Question, given: Mapping[str, Any]) -> dict[str, Value]:
        """Of what is given for all questions, those that this one takes; and its defaults."""
        names = {parameter.name for parameter in question.parameters}
        return question.parameter_values({name: given[name] for name in given if name in names})


def own_sets_folder() -> Path:
    """Whoever runs Ronda may put sets of their own there: a folder each."""
    home: Path = settings.RONDA.home
    return home / "questions"


def set_names() -> list[str]:
    own = own_sets_folder()
    found = [path.name for path in own.iterdir() if path.is_dir()] if own.is_dir() else []
    return sorted({*built_in_names(), *found})


def set_named(name: str) -> QuestionSet:
    if name in built_in_names():
        return load_built_in(name)
    if name in set_names():
        return load_folder(own_sets_folder() / name)
    raise NoSuchSet(
        f"There is no set of questions {name!r}.",
        hint=f"There are: {', '.join(set_names())}; or send SQL files of your own.",
    )


def texts_of(name: str) -> dict[str, str]:
    """The files of a set that Ronda did not come with: they may be others tomorrow, a session's stay as they were."""
    folder = own_sets_folder() / name
    if name in built_in_names() or name not in set_names():
        return {}
    return {
        path.name: path.read_text() for path in sorted(folder.iterdir()) if path.suffix in (".sql", ".toml")
    }


def chosen(
    questions: str,
    sql: Mapping[str, str],
    only: Sequence[str],
    parameters: Mapping[str, Any],
    columns: Mapping[str, Mapping[str, str]],
) -> Asked:
    """What is asked, checked as far as it can be before there is data."""
    if not questions and not sql:
        raise InvalidInput("Name a set of questions, or send SQL files of your own.", field="questions")
    found = set_of_texts(sql, name=questions or OWN_NAME) if sql else set_named(questions)
    found = replace(
        found, tables=tuple(_declared(table, columns.get(table.name, {})) for table in found.tables)
    )
    asked = Asked(found, tuple(found.question(name) for name in only) or found.questions)
    known = {parameter.name for question in asked.questions for parameter in question.parameters}
    for name in parameters:
        if name not in known:
            has = ", ".join(sorted(known)) or "none"
            raise BadParameter(f"No question has a parameter {name!r}; there are: {has}.", field="parameters")
    for question in asked.questions:
        asked.parameters_of(question, parameters)
    return asked


def _declared(table: TableNeed, columns: Mapping[str, str]) -> TableNeed:
    """With the types its client gave the columns, if its questions leave that open."""
    if table.columns or not columns:
        return table
    for name, kind in columns.items():
        if not is_known(kind):
            raise InvalidInput(f"{kind!r} is no type of a column ({table.name}.{name}).", field="columns")
    return replace(table, columns=tuple(Column(name, kind) for name, kind in columns.items()))


def of_session(session: Session) -> Asked:
    """As it was asked for: what is kept of a set is its name, of one's own SQL the files."""
    said = json.dumps([session.questions, session.sql, session.only, session.columns])
    return _of_said(hashlib.sha256(said.encode()).hexdigest(), said)


@lru_cache(maxsize=64)
def _of_said(_key: str, said: str) -> Asked:
    questions, sql, only, columns = json.loads(said)
    return chosen(questions, sql, only, {}, columns)
