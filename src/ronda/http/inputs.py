"""Kinds of text that the API takes."""

from __future__ import annotations

from typing import Annotated

from pydantic import StringConstraints

# PostgreSQL cannot hold a zero byte in text; a lone surrogate is no text at all.
_STORABLE = r"^[^\x00]*$"

ShortText = Annotated[str, StringConstraints(max_length=200, pattern=_STORABLE, strip_whitespace=True)]
