"""Errors as the MediaWiki API words them. Most travel under HTTP 200: the body says that it failed."""

from __future__ import annotations

from typing import Any


class ApiError(Exception):
    """An API error: a code for programs, a text for people, and further fields."""

    def __init__(self, code: str, info: str, *, headers: dict[str, str] | None = None, **fields: Any) -> None:
        self.code = code
        self.info = info
        self.headers = {"MediaWiki-API-Error": code, **(headers or {})}
        self.fields = fields
        super().__init__(info)
