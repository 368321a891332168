"""The header of a question and set.toml: TOML, and what may stand in it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any

from ronda.analysis.errors import BadParameter, BadQuestion
from ronda.analysis.questions.model import DRAWINGS, Caution, Column, Drawing, Parameter, TableNeed
from ronda.analysis.questions.values import PARAMETER_TYPES, converted

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}")
_AT_LINE = re.compile(r"\s*\(at line (\d+), column \d+\)")
_COLUMN_TYPE = re.compile(r"[A-Za-z][A-Za-z0-9_ ,()\[\]\"]*")
QUESTION_KEYS = ("title", "description", "tables", "parameters", "drawing", "cautions")
SET_KEYS = ("title", "description", "tables")


class Header:
    """A piece of TOML out of a file: knows at which line of the file each of its keys stands."""

    def __init__(self, text: str, *, file: str, first_line: int, keys: tuple[str, ...]) -> None:
        self.text, self.file, self.first_line = text, file, first_line
        try:
            self.values: Mapping[str, Any] = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            at = _AT_LINE.search(str(error))
            # "At end of document": in its last line.
            line = first_line + (int(at.group(1)) - 1 if at else text.count("\n"))
            raise BadQuestion(
                f"{_AT_LINE.sub('', str(error))} (the header is TOML).", file=file, line=line
            ) from None
        for key in self.values:
            if key not in keys:
                raise self.wrong(key, f"The header has no {key!r}.", hint=f"It may have: {', '.join(keys)}.")

    def wrong(self, key: str, message: str, *, hint: str | None = None) -> BadQuestion:
        """An error at the first line that names this key."""
        pattern = re.compile(rf'(^|[\[."\s]){re.escape(key)}(["\]\s.=]|$)')
        lines = self.text.splitlines()
        number = next((n for n, line in enumerate(lines) if pattern.search(line)), 0)
        return BadQuestion(message, file=self.file, line=self.first_line + number, hint=hint)

    def words(self, key: str, default: str = "") -> str:
        value = self.values.get(key, default)
        if not isinstance(value, str):
            raise self.wrong(key, f"{key} is a text.")
        return " ".join(value.split())

    def group(self, key: str) -> Mapping[str, Any]:
        value = self.values.get(key, {})
        if not isinstance(value, dict):
            raise self.wrong(key, f"{key} is a table: write [{key}.name].")
        for name, one in value.items():
            if not NAME.fullmatch(name):
                raise self.wrong(name, f"{name!r} is no name.", hint="Use letters, digits and _.")
            if not isinstance(one, dict):
                raise self.wrong(name, f"{key}.{name} is a table: write [{key}.{name}].")
        return value


def tables_of(header: Header) -> tuple[TableNeed, ...]:
    """[tables.NAME] with title, optional, and columns = { name = "TYPE", other = "TYPE?" }."""
    return tuple(_table(header, name, given) for name, given in header.group("tables").items())


def _table(header: Header, name: str, given: Mapping[str, Any]) -> TableNeed:
    for key in given:
        if key not in ("title", "optional", "columns"):
            raise header.wrong(
                key, f"The table {name} has no {key!r}.", hint="It may have: title, optional, columns."
            )
    columns = given.get("columns", {})
    if not isinstance(columns, dict) or not all(isinstance(one, str) for one in columns.values()):
        raise header.wrong(
            "columns", f'The columns of {name} are names with types: columns = {{ id = "BIGINT" }}.'
        )
    return TableNeed(
        name=name,
        columns=tuple(_column(header, column, kind) for column, kind in columns.items()),
        is_optional=bool(given.get("optional", False)),
        title=str(given.get("title", "")),
    )


def _column(header: Header, name: str, kind: str) -> Column:
    from ronda.analysis.column_types import is_known

    bare = kind.removesuffix("?").strip()
    if not _COLUMN_TYPE.fullmatch(bare) or not is_known(bare):
        raise header.wrong(
            name,
            f"{kind!r} is no type of a column.",
            hint="Try VARCHAR, BIGINT, DOUBLE, BOOLEAN, DATE, VARCHAR[] or STRUCT(name VARCHAR)[]; a ? behind it "
            "says that files may lack the column.",
        )
    return Column(name, bare.upper() if "(" not in bare else bare, is_required=not kind.endswith("?"))


def parameters_of(header: Header) -> tuple[Parameter, ...]:
    """[parameters.NAME] with type, default and title."""
    found = []
    for name, given in header.group("parameters").items():
        kind = str(given.get("type", "VARCHAR")).upper()
        if kind not in PARAMETER_TYPES:
            raise header.wrong(
                name, f"{kind} is no type of a parameter.", hint=f"One of {', '.join(PARAMETER_TYPES)}."
            )
        if "default" not in given:
            raise header.wrong(name, f"The parameter {name} has no default.")
        bare = Parameter(name, kind, None, str(given.get("title", "")))
        try:
            found.append(Parameter(name, kind, converted(bare, given["default"]), bare.title))
        except BadParameter as error:
            raise header.wrong(name, error.message) from None
    return tuple(found)


def drawing_of(header: Header) -> Drawing:
    """[drawing] with kind, x and y."""
    given = header.values.get("drawing", {})
    if not isinstance(given, dict):
        raise header.wrong("drawing", "drawing is a table: write [drawing].")
    kind, y = given.get("kind", "table"), given.get("y", [])
    if kind not in DRAWINGS:
        raise header.wrong("kind", f"{kind!r} is no way to draw.", hint=f"One of {', '.join(DRAWINGS)}.")
    return Drawing(kind, str(given.get("x", "")), tuple(y) if isinstance(y, list) else (str(y),))


def cautions_of(header: Header, tables: tuple[TableNeed, ...]) -> tuple[Caution, ...]:
    """[cautions] TABLE = "what to say when it was not given"."""
    given = header.values.get("cautions", {})
    if not isinstance(given, dict):
        raise header.wrong("cautions", "cautions is a table: write [cautions].")
    optional = {table.name for table in tables if table.is_optional}
    for name in given:
        if name not in optional:
            raise header.wrong(name, f"{name!r} is no optional table of this question.")
    return tuple(Caution(name, " ".join(str(text).split())) for name, text in given.items())
