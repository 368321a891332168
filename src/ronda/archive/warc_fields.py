"""The header lines of a WARC record. Of our own files and of uploads there is one strict reading: what two readers
could take in two ways is no record. Files of others are read as they come, and are written anew in the strict way."""

from __future__ import annotations

import re
from collections import Counter

VERSIONS = ("WARC/1.0", "WARC/1.1")
END_OF_HEAD = b"\r\n\r\n"
# WARC/1.1 §5 has none twice but the first of these; the others are what the writers of today add to that.
REPEATABLE = frozenset({"warc-concurrent-to", "warc-protocol", "warc-cipher-suite"})
_NAME = r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
# Controls of ASCII and Latin-1 but the tab, and what Unicode has for line ends: some readers break lines at those.
_BREAKS = r"\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029"
_LINE = re.compile(rf"({_NAME}):([^{_BREAKS}]*)")
_NO_VALUE = re.compile(f"[{_BREAKS}]+")
_LENGTH = re.compile(r"\d{1,15}", re.ASCII)
_SPACE = " \t"

Fields = list[tuple[str, str]]


class BadFields(Exception):
    """A header that is none, or not the same to everybody."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def strict_fields(head: bytes) -> Fields:
    """In order, behind the version line: `name: value` on a line of its own, no name twice."""
    try:
        version, *lines = head.decode().split("\r\n")
    except UnicodeDecodeError:
        raise BadFields("its header is not UTF-8") from None
    _require_version(version)
    fields: Fields = []
    seen: set[str] = set()
    for line in lines:
        found = _LINE.fullmatch(line)
        if not found:
            raise BadFields("its header has a line that is no field")
        name = found[1].lower()
        if name in seen and name not in REPEATABLE:
            raise BadFields(f"its header has {found[1]} twice")
        seen.add(name)
        fields.append((found[1], found[2].strip(_SPACE)))
    return fields


def tolerant_fields(head: bytes) -> Fields:
    """As writers of all ages have them, folded lines among them."""
    version, *lines = head.decode("utf-8", "replace").split("\r\n")
    _require_version(version)
    fields: Fields = []
    for line in lines:
        if line[:1] in (" ", "\t") and fields:
            name, value = fields[-1]
            fields[-1] = (name, f"{value} {line.strip()}")
            continue
        name, _, value = line.partition(":")
        fields.append((name.strip(), value.strip()))
    return fields


def made_strict(fields: Fields) -> Fields:
    """What was read tolerantly, as all will read it alike. Of a name that came twice, the last is what counted."""
    named = [(name, _NO_VALUE.sub(" ", value).strip(_SPACE)) for name, value in fields if is_name(name)]
    left = Counter(name.lower() for name, _ in named)
    kept: Fields = []
    for name, value in named:
        left[name.lower()] -= 1
        if name.lower() in REPEATABLE or not left[name.lower()]:
            kept.append((name, value))
    return kept


def is_name(name: str) -> bool:
    return re.fullmatch(_NAME, name) is not None


def content_length(fields: dict[str, str]) -> int | None:
    """None: it has no sensible one."""
    length = fields.get("content-length", "")
    return int(length) if _LENGTH.fullmatch(length) else None


def _require_version(version: str) -> None:
    if version not in VERSIONS:
        raise BadFields(f"it does not begin with {' or '.join(VERSIONS)}")
