"""The head of an HTTP message as it stands in a record: its end, status, fields and type."""

from __future__ import annotations

import re

_STATUS_LINE = re.compile(rb"HTTP/\d(?:\.\d)? (\d{3})(?: |\r|\n|$)")
# Servers that end their lines with a bare line feed are understood by everybody.
END_OF_HTTP_HEAD = re.compile(rb"\n\r?\n")
LONGEST_MIME = 100

Fields = list[tuple[str, str]]


def status_of(head: bytes) -> int:
    """0 if it does not begin with a status line."""
    found = _STATUS_LINE.match(head)
    return int(found[1]) if found else 0


def fields_of(head: bytes) -> Fields:
    """In order, names in small letters. Lines that are no fields are passed over."""
    pairs = [line.partition(":") for line in head.decode("latin-1").split("\n")[1:]]
    return [(name.strip().lower(), value.strip()) for name, colon, value in pairs if colon]


def first_field(fields: Fields, name: str) -> str:
    return next((value for key, value in fields if key == name), "")


def plain_mime(value: str) -> str:
    """The type a Content-Type names, without parameters."""
    mime = value.split(";")[0].strip().lower()
    return mime[:LONGEST_MIME] if mime.isascii() and mime.isprintable() else ""
