"""Lists of sources as CSV: read with a word about every line, and written so that they can be read back."""

from __future__ import annotations

import csv
import io
import math
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.db import transaction

from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.errors import Conflict, Forbidden, InvalidInput, RondaError
from ronda.rounds import intervals, services
from ronda.rounds.models import Source, SourceState
from ronda.rounds.wishes import Wish, wish_of

COLUMNS = (
    "url", "title", "collection", "topic", "scope", "depth", "max_pages", "max_bytes", "max_seconds",
    "every", "predictor", "weight", "threshold", "is_for_any_node", "tags", "notes", "state",
)  # fmt: skip
MOST_LINES = 10_000
_WHOLE = ("topic", "depth", "max_pages", "max_bytes", "max_seconds")
# A spreadsheet would take a cell that begins so for a formula.
_FORMULA = "=+-@\t\r'"
_YES_NO = {"": False, "no": False, "false": False, "0": False, "yes": True, "true": True, "1": True}


@dataclass(frozen=True)
class Line:
    """What became of one line; `refusal` if it was not taken. The line of the columns has the number 1."""

    number: int
    url: str
    source_id: uuid.UUID | None = None
    refusal: RondaError | None = None


def import_list(*, actor: Person | None, text: str) -> list[Line]:
    """Each line is taken whole or not at all; all of them at once, so that a failure on the way leaves none."""
    person = require(actor, Role.SUBSCRIBER, Role.DIRECTOR)
    rows = list(_rows(text))
    with transaction.atomic():
        return [_take(person, number, row) for number, row in rows]


def _rows(text: str) -> Iterator[tuple[int, dict[str, str]]]:
    if "\0" in text:
        raise InvalidInput("This is no text: give a CSV file.", field="file")
    text = text.removeprefix("\ufeff")
    head = text.partition("\n")[0]
    # Spreadsheets of half the world separate by semicolons.
    separator = ";" if head.count(";") > head.count(",") else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        columns = [cell.strip().lower() for cell in next(reader, [])]
        _check_columns(columns)
        for count, cells in enumerate((row for row in reader if any(cell.strip() for cell in row)), 1):
            if count > MOST_LINES:
                raise InvalidInput("Give at most 10,000 lines at a time.", field="file")
            yield reader.line_num, dict(zip(columns, map(_unquoted, cells), strict=False))
    except csv.Error as error:
        raise InvalidInput(f"This is no CSV, at line {reader.line_num}: {error}.", field="file") from None


def _check_columns(columns: list[str]) -> None:
    if "url" not in columns:
        raise InvalidInput("The first line names the columns, and url is one of them.", field="file")
    if unknown := [name for name in columns if name not in COLUMNS]:
        raise InvalidInput(
            f"There is no column {unknown[0][:40]!r}; choose from {', '.join(COLUMNS)}.", field="file"
        )


def _take(person: Person, number: int, row: dict[str, str]) -> Line:
    url = row.get("url", "").strip()
    try:
        with transaction.atomic():
            source = services.follow(actor=person, wish=_wish(row))
            _set_state(person, source, row.get("state", "").strip().lower())
    except (InvalidInput, Conflict, Forbidden) as refusal:
        return Line(number, url[:500], refusal=refusal)
    return Line(number, source.url, source.pk)


def _wish(row: dict[str, str]) -> Wish:
    """Cells that are empty or missing are as in a wish that does not mention them."""
    given: dict[str, object] = {
        name: row[name].strip()
        for name in ("url", "title", "collection", "scope", "predictor", "notes")
        if row.get(name, "").strip()
    }
    given.setdefault("url", "")
    for name in _WHOLE:
        if cell := row.get(name, "").strip():
            if not (cell.isascii() and cell.isdigit() and len(cell) <= 15):
                raise InvalidInput(f"{name} is a whole number, not {cell[:40]!r}.", field=name)
            given[name] = int(cell)
    if cell := row.get("threshold", "").strip():
        given["threshold"] = _share(cell)
    answer = row.get("is_for_any_node", "").strip().lower()
    if answer not in _YES_NO:
        raise InvalidInput("is_for_any_node is yes or no.", field="is_for_any_node")
    return Wish(
        **given,  # type: ignore[arg-type]
        every_seconds=intervals.seconds_of(row.get("every", "")),
        weight=_weight(row.get("weight", "").strip()),
        tags=tuple(row.get("tags", "").split(",")),
        is_for_any_node=_YES_NO[answer],
    )


def _weight(cell: str) -> float:
    try:
        weight = float(cell or 1)
    except ValueError:
        weight = math.nan
    if math.isnan(weight):
        raise InvalidInput(f"weight is a number, not {cell[:40]!r}.", field="weight")
    return weight


def _share(cell: str) -> float:
    try:
        return float(cell.replace(",", "."))
    except ValueError:
        raise InvalidInput(
            f"threshold is a number from 0 to 1, not {cell[:40]!r}.", field="threshold"
        ) from None


def _set_state(person: Person, source: Source, state: str) -> None:
    match state or SourceState.ACTIVE:
        case SourceState.ACTIVE:
            return
        case SourceState.PAUSED:
            services.pause(actor=person, source_id=source.pk)
        case SourceState.ENDED:
            services.end(actor=person, source_id=source.pk)
        case _:
            raise InvalidInput("A state is one of active, paused, ended.", field="state")


def as_csv(sources: Iterable[Source]) -> Iterator[str]:
    """Line by line, in the shape that `import_list` takes."""
    yield _line(COLUMNS)
    for source in sources:
        wish = wish_of(source)
        yield _line([_quoted(_cell(source, wish, name)) for name in COLUMNS])


def _cell(source: Source, wish: Wish, name: str) -> str:
    match name:
        case "every":
            return intervals.words_of(wish.every_seconds)
        case "tags":
            return ", ".join(wish.tags)
        case "state":
            return source.state
        case "is_for_any_node":
            return "yes" if wish.is_for_any_node else "no"
    value = getattr(wish, name)
    return "" if value is None else str(value)


def _line(cells: Iterable[str]) -> str:
    written = io.StringIO(newline="")
    csv.writer(written).writerow(cells)
    return written.getvalue()


def _quoted(cell: str) -> str:
    return f"'{cell}" if cell[:1] and cell[0] in _FORMULA else cell


def _unquoted(cell: str) -> str:
    return cell[1:] if cell[:1] == "'" and cell[1:2] and cell[1] in _FORMULA else cell
