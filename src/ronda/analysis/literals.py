"""Nested values written as text: JSON, or Python literals as The Movies Dataset has them. Nothing is evaluated."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any

# A Python text literal, or a word outside of one that JSON spells differently.
_TOKEN = re.compile(
    r"""'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*"|\b(?:None|True|False)\b""", re.DOTALL
)
_WORDS = {"None": "null", "True": "true", "False": "false"}
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{1,3}|.)", re.DOTALL)
_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "\n": ""}
_json_text = json.JSONEncoder(ensure_ascii=False).encode


class NotALiteral(ValueError):
    """The text is neither JSON nor a Python literal."""


def parsed(text: str) -> Any:
    """Lists, dictionaries, texts, numbers, booleans and null."""
    try:
        if "'" not in text or ('"' not in text and "\\" not in text):
            # JSON; or only single quotes and no escapes, and then every quote begins or ends a text.
            try:
                return json.loads(text.replace("'", '"'))
            except ValueError:
                pass  # With None or the like in it, or a line end within a text.
        return json.loads(_TOKEN.sub(_as_json, text))
    except (ValueError, RecursionError):
        raise NotALiteral(f"neither JSON nor a Python literal: {text[:40]!r}") from None


def _as_json(found: re.Match[str]) -> str:
    token = found[0]
    if token in _WORDS:
        return _WORDS[token]
    inside = token[1:-1]
    if inside.isprintable() and '"' not in inside and "\\" not in inside:
        return f'"{inside}"'
    return _json_text(_ESCAPE.sub(_unescaped, inside) if "\\" in inside else inside)


def _unescaped(found: re.Match[str]) -> str:
    code = found[1]
    if code[0] in "xuU" and len(code) > 1:
        return chr(int(code[1:], 16))
    if code[0] in "01234567":
        return chr(int(code, 8))
    # As Python does: what is no escape stays as it is.
    return _SIMPLE.get(code, code if code in "\\'\"" else "\\" + code)


@lru_cache(maxsize=65_536)
def names_in(text: str) -> tuple[str, ...] | None:
    """The `name` of each dictionary in a list of them; None if the text is no such list."""
    try:
        found = parsed(text)
    except NotALiteral:
        return None
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        return None
    return tuple(one["name"] for one in found if isinstance(one.get("name"), str))


def fitted(value: Any, kind: str) -> Any:
    """A parsed value as one of our types takes it; ValueError if it does not."""
    if value is None:
        return None
    if kind.endswith("[]"):
        if not isinstance(value, list):
            raise ValueError("not a list")
        return [fitted(one, kind[:-2]) for one in value]
    if kind.upper().startswith("STRUCT"):
        from ronda.analysis.column_types import struct_fields

        if not isinstance(value, dict):
            raise ValueError("not an object")
        return {name: fitted(value.get(name), inner) for name, inner in struct_fields(kind)}
    return _scalar(value, kind.upper())


def _scalar(value: Any, kind: str) -> Any:
    if kind in ("VARCHAR", "TEXT"):
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if kind == "BOOLEAN":
        if isinstance(value, bool):
            return value
        raise ValueError("not a boolean")
    if kind in ("BIGINT", "INTEGER") and isinstance(value, int) and not isinstance(value, bool):
        bits = 63 if kind == "BIGINT" else 31
        if -(2**bits) <= value < 2**bits:
            return value
    if kind == "DOUBLE" and isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    raise ValueError(f"not a {kind}")
