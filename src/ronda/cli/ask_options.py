"""What `ronda ask` was asked: its words made into files, parameters and ways to show."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ronda.errors import InvalidInput

if TYPE_CHECKING:
    from ronda.analysis.questions import QuestionSet


@dataclass(frozen=True)
class Asked:
    """The same for a server and for this machine."""

    questions: QuestionSet
    # As it was written: the name of a set, a folder or a file.
    source: str
    files: Mapping[str, Sequence[Path]]
    parameters: Mapping[str, str] = field(default_factory=dict)
    engine: str = "auto"
    sentiment_model: Path | None = None


@dataclass(frozen=True)
class Shown:
    """Where the answers go; nothing chosen: tables on the terminal."""

    as_json: bool = False
    csv: Path | None = None
    parquet: Path | None = None
    plot: Path | None = None


def files_of(questions: QuestionSet, pairs: Sequence[str], words: Sequence[str]) -> dict[str, list[Path]]:
    """--table name=FILE, and --name FILE or --name=FILE for each table of the set."""
    found: dict[str, list[Path]] = {}
    for pair in pairs:
        name, equals, file = pair.partition("=")
        if not equals or not file:
            raise InvalidInput(f"--table takes NAME=FILE, not {pair!r}.")
        found.setdefault(name, []).append(Path(file))
    rest = list(words)
    for name in found:
        questions.table(name)
    known = [need.name for need in questions.tables]
    while rest:
        word = rest.pop(0)
        name, equals, file = word.removeprefix("--").partition("=")
        if not word.startswith("--") or name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = (
                f"Did you mean --{near[0]}?" if near else f"Tables of {questions.name}: {', '.join(known)}."
            )
            raise InvalidInput(f"{word!r} is no option and no table of {questions.name}.", hint=hint)
        if not equals:
            if not rest or rest[0].startswith("--"):
                raise InvalidInput(f"--{name} takes a file.")
            file = rest.pop(0)
        found.setdefault(name, []).append(Path(file))
    for path in (path for paths in found.values() for path in paths):
        if not path.is_file():
            raise InvalidInput(f"There is no file {path}.")
    return found


def parameters_of(questions: QuestionSet, pairs: Sequence[str]) -> dict[str, str]:
    """--parameter name=value; at least one question has it, and the value fits all that do."""
    found: dict[str, str] = {}
    known = {each.name for question in questions.questions for each in question.parameters}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise InvalidInput(f"--parameter takes NAME=VALUE, not {pair!r}.")
        if name not in known:
            hint = f"There are: {', '.join(sorted(known)) or 'none'}."
            raise InvalidInput(f"No question asked has a parameter {name!r}.", hint=hint)
        found[name] = value
    for question in questions.questions:
        question.parameter_values(own_parameters(question, found))
    return found


def own_parameters(question: object, given: Mapping[str, str]) -> dict[str, str]:
    """Those of the given ones that this question has."""
    names = {each.name for each in getattr(question, "parameters", ())}
    return {name: value for name, value in given.items() if name in names}
