"""What the index keeps of an HTTP response's head."""

from __future__ import annotations

import re

_STATUS_LINE = re.compile(rb"HTTP/\d(?:\.\d)? (\d{3})(?: |\r|\n|$)")
# Servers that end their lines with a bare line feed are understood by everybody.
END_OF_HTTP_HEAD = re.compile(rb"\n\r?\n")
LONGEST_MIME = 100


def status_of(head: bytes) -> int:
    """0 if it does not begin with a status line."""
    found = _STATUS_LINE.match(head)
    return int(found[1]) if found else 0


def mime_of(head: bytes) -> str:
    """The type its first Content-Type names, without parameters."""
    for line in head.decode("latin-1").split("\n")[1:]:
        name, colon, value = line.partition(":")
        if colon and name.strip().lower() == "content-type":
            return plain_mime(value)
    return ""


def plain_mime(value: str) -> str:
    mime = value.split(";")[0].strip().lower()
    return mime[:LONGEST_MIME] if mime.isascii() and mime.isprintable() else ""
