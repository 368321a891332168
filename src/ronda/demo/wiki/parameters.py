"""Parameters of an API request, read as MediaWiki reads them: the odd warns, the wrong is an error."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime

from ronda.demo.wiki.errors import ApiError

MULTI_VALUE_LIMIT = 50
STAMP = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)[T ]?(\d\d):?(\d\d):?(\d\d)Z?")


@dataclass
class Parameters:
    """The parameters of one request, and the warnings that reading them gave (module, text)."""

    values: Mapping[str, str]
    warnings: dict[str, list[str]] = field(default_factory=dict)
    limits: dict[str, int] = field(default_factory=dict)
    _read: set[str] = field(default_factory=set)

    def warn(self, module: str, text: str) -> None:
        self.warnings.setdefault(module, []).append(text)

    def has(self, *names: str) -> bool:
        self._read.update(names)
        return any(name in self.values for name in names)

    def text(self, name: str, default: str = "") -> str:
        self._read.add(name)
        return self.values.get(name, default)

    def choice(self, name: str, options: Sequence[str]) -> str:
        """One of the options; the first is the default."""
        value = self.text(name, options[0])
        if value not in options:
            raise ApiError("badvalue", f'Unrecognized value for parameter "{name}": {value}.')
        return value

    def several(self, name: str) -> list[str]:
        """Values parted by | (or by U+001F, if the whole begins with it), without repetitions."""
        text = self.text(name)
        if not text:
            return []
        values = text[1:].split("\x1f") if text.startswith("\x1f") else text.split("|")
        if len(values) > MULTI_VALUE_LIMIT:
            raise ApiError(
                "toomanyvalues",
                f'Too many values supplied for parameter "{name}". The limit is {MULTI_VALUE_LIMIT}.',
                limit=MULTI_VALUE_LIMIT,
                lowlimit=MULTI_VALUE_LIMIT,
                highlimit=500,
            )
        return list(dict.fromkeys(values))

    def options(self, name: str, module: str, known: Sequence[str], default: Sequence[str]) -> list[str]:
        """Several of the known values; unknown ones only warn."""
        if not self.has(name):
            return list(default)
        wanted = self.several(name)
        unknown = [value for value in wanted if value not in known]
        if unknown:
            plural = "s" if len(unknown) > 1 else ""
            self.warn(module, f'Unrecognized value{plural} for parameter "{name}": {", ".join(unknown)}')
        return [value for value in wanted if value in known]

    def limit(self, name: str, module: str, maximum: int, default: int = 10) -> int:
        """A limit is never refused for its size: it is clamped with a warning; `max` reports its value."""
        value = self.text(name)
        if not value:
            return default
        if value == "max":
            self.limits[module] = maximum
            return maximum
        wanted = self.integer(name)
        if not 1 <= wanted <= maximum:
            self.warn(module, f'The value "{wanted}" for parameter "{name}" must be between 1 and {maximum}.')
        return min(max(wanted, 1), maximum)

    def integer(self, name: str) -> int:
        return as_integer(name, self.text(name))

    def integers(self, name: str) -> list[int]:
        return [as_integer(name, value) for value in self.several(name)]

    def stamp(self, name: str, now: datetime) -> datetime:
        value = self.text(name)
        if value == "now":
            return now
        if found := STAMP.fullmatch(value):
            year, month, day, hour, minute, second = map(int, found.groups())
            with suppress(ValueError):
                return datetime(year, month, day, hour, minute, second, tzinfo=UTC)
        raise ApiError("badtimestamp", f'Invalid value "{value}" for timestamp parameter "{name}".')

    def warn_of_unread(self) -> None:
        """Called last: what no module asked for is a mistake of the client."""
        unread = [name for name in self.values if name not in self._read]
        if unread:
            plural = "s" if len(unread) > 1 else ""
            self.warn("main", f"Unrecognized parameter{plural}: {', '.join(unread)}.")


def as_integer(name: str, value: str) -> int:
    if not re.fullmatch(r"[+-]?[0-9]{1,18}", value.strip()):
        raise ApiError("badinteger", f'Invalid value "{value}" for integer parameter "{name}".')
    return int(value)


def iso_stamp(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def plain_stamp(moment: datetime) -> str:
    return f"{moment:%Y%m%d%H%M%S}"
