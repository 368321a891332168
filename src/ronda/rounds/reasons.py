"""Why a source is visited when it is, as a sentence: stored with gaps, filled in the reader's language."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils import translation
from django.utils.translation import gettext


def in_words(text: str, values: Mapping[str, str | int | float]) -> str:
    """In the language of now. Words among the values (names of weekdays, parts of a day) are looked up, too."""
    if not text:
        return ""
    filled = {
        name: gettext(value) if isinstance(value, str) and value else value for name, value in values.items()
    }
    return gettext(text) % filled


def in_english(text: str, values: Mapping[str, str | int | float]) -> str:
    """As the API and commands say it."""
    with translation.override(None):
        return in_words(text, values)
