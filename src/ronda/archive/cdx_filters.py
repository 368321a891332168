"""Filters of a CDX query: [!][=|~]field:value. Without a sign the field contains the value, = equals it, ~ is a
regular expression from the field's beginning, ! turns it round. Without a field, the whole line is meant.

Expressions are PostgreSQL's, not Python's: without back references, which are refused, they take time in proportion to
what they are held against. Queries with one are bounded in time all the same (`cdx.MOST_SECONDS`).
"""

from __future__ import annotations

import re

from django.db import DataError, connection
from django.db.models import F, Q, QuerySet, TextField, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, Concat

from ronda.archive.models import Capture
from ronda.database.time_limits import at_most
from ronda.errors import InvalidInput

LONGEST_EXPRESSION = 300
CHECK_SECONDS = 2
# \\1 is a backslash and a one; [\1] is none either, but nobody needs it.
_BACK_REFERENCE = re.compile(r"(?<!\\)(?:\\\\)*\\[1-9]")
# What a line calls it → what the row has.
COLUMNS = {
    "urlkey": "urlkey",
    "timestamp": "stamp",
    "url": "url",
    "mime": "kind",
    "status": "status",
    "digest": "digest",
    "length": "response_length",
    "offset": "offset",
    "filename": "file__name",
}
OTHER_NAMES = {
    "original": "url", "u": "url", "statuscode": "status", "mimetype": "mime", "m": "mime", "l": "length",
    "s": "length", "o": "offset", "d": "digest", "t": "timestamp", "k": "urlkey", "f": "filename",
}  # fmt: skip


def apply_filter(rows: QuerySet[Capture], wanted: str) -> QuerySet[Capture]:
    is_turned = wanted.startswith("!")
    rest = wanted.removeprefix("!")
    sign = rest[0] if rest[:1] in ("=", "~") else ""
    name, colon, value = rest.removeprefix(sign).partition(":")
    if not colon:
        name, value = "", name
    found = Q(**{f"filtered__{_lookup(sign, value)}": f"^(?:{value})" if sign == "~" else value})
    rows = rows.alias(filtered=_column(name))
    return rows.exclude(found) if is_turned else rows.filter(found)


def _column(name: str) -> Combinable:
    if not name:
        parts = (part for column in COLUMNS.values() for part in (Cast(column, TextField()), Value(" ")))
        return Concat(*parts, output_field=TextField())
    known = OTHER_NAMES.get(name, name)
    if known not in COLUMNS:
        raise InvalidInput(
            f"filter: there is no field {name[:40]!r}.", field="filter", hint=f"Fields: {', '.join(COLUMNS)}."
        )
    return Cast(F(COLUMNS[known]), TextField())


def _lookup(sign: str, value: str) -> str:
    if "\0" in value:
        raise InvalidInput("filter: a zero byte stands in no line.", field="filter")
    if sign == "~":
        _check_expression(value)
        return "regex"
    return "exact" if sign == "=" else "contains"


def _check_expression(value: str) -> None:
    """Asked before the answer begins: then it is too late to say that it was none."""
    if len(value) > LONGEST_EXPRESSION:
        raise InvalidInput(
            f"filter: an expression has at most {LONGEST_EXPRESSION} characters.", field="filter"
        )
    if _BACK_REFERENCE.search(value):
        raise InvalidInput(
            "filter: an expression may not refer back to what it matched (\\1).", field="filter"
        )
    try:
        with at_most(CHECK_SECONDS, field="filter"), connection.cursor() as cursor:
            cursor.execute("SELECT '' ~ %s", [f"^(?:{value})"])
    except DataError as error:
        reason = str(error).split("\n")[0]
        raise InvalidInput(f"filter: {reason}.", field="filter") from None
