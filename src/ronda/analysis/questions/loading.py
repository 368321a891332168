"""Reading sets of questions: those Ronda comes with, a person's folder, a single SQL file."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path

from ronda.analysis.errors import BadQuestion, NoSuchSet
from ronda.analysis.questions.headers import (
    NAME,
    QUESTION_KEYS,
    SET_KEYS,
    Header,
    cautions_of,
    drawing_of,
    parameters_of,
    tables_of,
)
from ronda.analysis.questions.model import Question, QuestionSet, TableNeed, View
from ronda.analysis.questions.sql_text import parameters_in, tables_in, views_in

SETS = Path(__file__).parent
SET_FILE, VIEWS_FILE = "set.toml", "views.sql"
# Parameters that engines fill in: has_TABLE for each table, and these.
AUTOMATIC = ("sentiment_model",)
MAX_FILE_BYTES = 1 << 20
_HEADER = re.compile(r"\s*/\*(.*?)\*/", re.DOTALL)
_ROWS = re.compile(r"^--[ \t]*rows:?[ \t]*$", re.MULTILINE)


def built_in_names() -> tuple[str, ...]:
    return tuple(sorted(folder.name for folder in SETS.iterdir() if (folder / SET_FILE).is_file()))


def load_built_in(name: str) -> QuestionSet:
    if name not in built_in_names():
        raise NoSuchSet(
            f"There is no set of questions {name!r}.",
            hint=f"There are: {', '.join(built_in_names())}; or give a folder, or a file that ends in .sql.",
        )
    return _folder(SETS / name, is_built_in=True)


def load(name: str) -> QuestionSet:
    """A set by name, a folder of SQL files, or one SQL file: a set of one question."""
    path = Path(name)
    if name in built_in_names():
        return load_built_in(name)
    if path.is_dir():
        return load_folder(path)
    if path.suffix.lower() == ".sql":
        return set_of_texts({path.name: _text(path)}, name=path.stem)
    return load_built_in(name)


def load_folder(folder: Path) -> QuestionSet:
    return _folder(folder, is_built_in=False)


def _folder(folder: Path, *, is_built_in: bool) -> QuestionSet:
    files = sorted(path for path in folder.iterdir() if path.suffix == ".sql" or path.name == SET_FILE)
    return set_of_texts({path.name: _text(path) for path in files}, name=folder.name, is_built_in=is_built_in)


def set_of_texts(files: Mapping[str, str], *, name: str, is_built_in: bool = False) -> QuestionSet:
    """A set from its files' names and texts, as they come from a folder or with a request."""
    name = re.sub(r"\W", "_", name)
    header = Header(files.get(SET_FILE, ""), file=SET_FILE, first_line=1, keys=SET_KEYS)
    shared = tables_of(header)
    views = tuple(View(*view) for view in views_in(files.get(VIEWS_FILE, ""), file=VIEWS_FILE))
    questions = tuple(
        _question(text, file, name, shared, views, is_built_in)
        for file, text in sorted(files.items())
        if file not in (SET_FILE, VIEWS_FILE)
    )
    if not questions:
        raise BadQuestion("The set has no questions: there is no SQL file in it.", file=name)
    tables = {table.name: table for table in shared}
    for question in questions:
        for table in question.tables:
            if tables.setdefault(table.name, table) != table:
                message = f"Two questions of {name} need different tables called {table.name}."
                raise BadQuestion(message, file=question.name, hint=f"Declare it once, in {SET_FILE}.")
    return QuestionSet(
        name, header.words("title") or name, tuple(tables.values()), questions, header.words("description")
    )


def _question(
    text: str,
    file: str,
    set_name: str,
    shared: tuple[TableNeed, ...],
    views: tuple[View, ...],
    is_built_in: bool,
) -> Question:
    stem = file.removesuffix(".sql")
    found = _HEADER.match(text)
    first_line = text[: found.start(1)].count("\n") + 1 if found else 1
    header = Header(found[1] if found else "", file=file, first_line=first_line, keys=QUESTION_KEYS)
    body = text[found.end() :] if found else text
    parts = _ROWS.split(body, maxsplit=1)
    sql, rows_sql = (
        parts[0].strip().rstrip(";").strip(),
        (parts[1].strip().rstrip(";") if len(parts) > 1 else ""),
    )
    line = (text[: found.end()].count("\n") if found else 0) + 1
    if not sql:
        raise BadQuestion("There is no SQL in it.", file=file, line=line)
    parameters = parameters_of(header)
    tables = _needs(header, sql, file, line, shared, views)
    automatic = {*AUTOMATIC, *(f"has_{table.name}" for table in tables)}
    for name, at in parameters_in(body, known=automatic | {parameter.name for parameter in parameters}):
        hint = f"Declare it: [parameters.{name}] with type and default."
        raise BadQuestion(f"${name} is no parameter of this question.", file=file, line=line + at, hint=hint)
    return Question(
        set_name=set_name,
        name=re.sub(r"\W", "_", stem),
        title=header.words("title") or stem,
        description=header.words("description"),
        tables=tables,
        parameters=parameters,
        drawing=drawing_of(header),
        sql=sql,
        rows_sql=rows_sql.strip(),
        views=_read_views(f"{sql}\n{rows_sql}", views),
        cautions=cautions_of(header, tables),
        is_built_in=is_built_in,
    )


def _needs(
    header: Header, sql: str, file: str, line: int, shared: tuple[TableNeed, ...], views: tuple[View, ...]
) -> tuple[TableNeed, ...]:
    """The tables a question names, declares, or, where its header is silent, reads."""
    known = {table.name: table for table in shared}
    given = header.values.get("tables")
    if isinstance(given, dict):
        return tables_of(header)
    if isinstance(given, list):
        for name in given:
            if name not in known:
                raise header.wrong("tables", f"The set has no table {name!r}.", hint=_declaring(name, known))
        return tuple(known[name] for name in given)
    if given is not None:
        raise header.wrong(
            "tables", 'tables is a list of names, or tables of their own: tables = ["movies"].'
        )
    read = tables_in(sql, file=file, line=line)
    if shared and any(view.name in read for view in views):
        return shared
    for name in read:
        if not NAME.fullmatch(name):
            raise BadQuestion(f"{name!r} is no name of a table.", file=file, line=line)
    return tuple(known.get(name, TableNeed(name)) for name in read)


def _declaring(name: object, known: Collection[str]) -> str:
    has = f"It has: {', '.join(known)}. " if known else ""
    return (
        f'{has}Declare it, here or in {SET_FILE}: [tables.{name}.columns] and a line like id = "BIGINT" for each '
        "column; or leave `tables` away, and its columns are those of its file."
    )


def _read_views(sql: str, views: tuple[View, ...]) -> tuple[View, ...]:
    """Those the question reads, and those they read; in the order of the file, as each may read those before it."""
    wanted, needed = sql, list[View]()
    for view in reversed(views):
        if re.search(rf"\b{view.name}\b", wanted):
            needed.append(view)
            wanted += view.sql
    return tuple(reversed(needed))


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise BadQuestion("The file is larger than a megabyte; it is no question.", file=path.name)
        return path.read_text("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise BadQuestion("The file is not UTF-8 text.", file=path.name) from None
    except OSError as error:
        raise BadQuestion(f"It cannot be read: {error.strerror}.", file=str(path)) from None
