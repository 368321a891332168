"""Numbers and tokens levelled, so that a clock, a counter or a session id reads the same on every look."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

# Shorter ones with a digit in them are names people gave (h2, col-6): only their digits are levelled.
LEAST_TOKEN = 8

_WORD = re.compile(r"[A-Za-z0-9_-]*[0-9][A-Za-z0-9_-]*", re.ASCII)
_NUMBER = re.compile(r"[0-9]+")
_GROUPED = re.compile(r"0(?:[.,'\u00a0\u202f]0)+")
_TIME = re.compile(r"(?<![0-9])([0-9]{1,2}):([0-9]{2})(?![0-9])")
_NAME = re.compile(r"[^\W\d_]+")
# Most zones are whole or half hours away from UTC; pages are made a little before they arrive.
_ZONE_MINUTES = 30
_SLACK_MINUTES = 2
_NAMES = frozenset({
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "mon", "tue", "wed",
    "thu", "fri", "sat", "sun", "january", "february", "march", "april", "may", "june", "july",
    "august", "september", "october", "november", "december", "jan", "feb", "mar", "apr", "jun", "jul",
    "aug", "sep", "sept", "oct", "nov", "dec", "am", "pm", "lunes", "martes", "miércoles", "miercoles",
    "jueves", "viernes", "sábado", "sabado", "domingo", "lun", "mié", "mie", "jue", "vie", "sáb", "sab",
    "dom", "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre",
    "setiembre", "octubre", "noviembre", "diciembre", "ene", "abr", "ago", "dic",
})  # fmt: skip


def level(text: str) -> str:
    """With every number and token as 0, however many digits or groups of digits it has."""
    return _GROUPED.sub("0", _WORD.sub(_level_word, text))


def _level_word(word: re.Match[str]) -> str:
    return "0" if is_token(word[0]) else _NUMBER.sub("0", word[0])


def level_tokens(text: str) -> str:
    """With what a machine made as 0, and plain numbers as they are."""
    return _WORD.sub(lambda word: "0" if is_token(word[0]) else word[0], text)


def is_token(word: str) -> bool:
    return len(word) >= LEAST_TOKEN and any(map(str.isdigit, word)) and not is_plain_number(word)


def is_plain_number(word: str) -> bool:
    """Digits with hyphens between them at most, like a date."""
    return word.replace("-", "").isdigit()


def level_dates(text: str) -> str:
    """With the names of days and months as 0, too."""
    return level(_NAME.sub(lambda name: "0" if name[0].casefold() in _NAMES else name[0], text))


def is_clock(before: str, after: str, at_before: datetime, at_after: datetime) -> bool:
    """Whether a text only tells when each look was: the date of that day or the time of that minute."""
    if level_dates(before) != level_dates(after):
        return False
    return _tells(before, at_before) and _tells(after, at_after)


def _tells(text: str, at: datetime) -> bool:
    return _tells_day(text, at) or _tells_time(text, at)


def _tells_day(text: str, at: datetime) -> bool:
    """Its year and day are among the numbers, here or where it is a day earlier or later."""
    numbers = {int(number) for number in _NUMBER.findall(text) if len(number) <= 4}
    days = (at + timedelta(days=shift) for shift in (-1, 0, 1))
    return any({day.year, day.day} <= numbers for day in days)


def _tells_time(text: str, at: datetime) -> bool:
    away = ((int(minute) - at.minute) % _ZONE_MINUTES for _hour, minute in _TIME.findall(text))
    return any(min(minutes, _ZONE_MINUTES - minutes) <= _SLACK_MINUTES for minutes in away)
