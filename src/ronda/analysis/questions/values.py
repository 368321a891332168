"""From what a person wrote to the value a parameter takes."""

from __future__ import annotations

import math

from ronda.analysis.errors import BadParameter
from ronda.analysis.questions.model import Parameter, Value

SCALARS = ("VARCHAR", "BIGINT", "DOUBLE", "BOOLEAN")
PARAMETER_TYPES = (*SCALARS, *(f"{scalar}[]" for scalar in SCALARS[:3]))
_WORDS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def converted(parameter: Parameter, given: object) -> Value:
    """Text (of a command line, of a form) or a value of JSON, as the parameter's type."""
    kind = parameter.type.removesuffix("[]")
    try:
        if parameter.type.endswith("[]"):
            items = given.split(",") if isinstance(given, str) else given
            if not isinstance(items, list | tuple):
                raise ValueError
            return [_scalar(kind, item.strip() if isinstance(item, str) else item) for item in items]  # type: ignore[return-value]
        return _scalar(kind, given)
    except (ValueError, OverflowError):
        raise BadParameter(
            f"{parameter.name} takes {_wanted(parameter.type)}, not {given!r}.", field=parameter.name
        ) from None


def _scalar(kind: str, given: object) -> str | int | float | bool:
    if kind == "VARCHAR":
        if not isinstance(given, str):
            raise ValueError
        return given
    if kind == "BOOLEAN":
        word = str(given).strip().lower()
        if word not in _WORDS:
            raise ValueError
        return _WORDS[word]
    if isinstance(given, bool) or not isinstance(given, str | int | float):
        raise ValueError
    if kind == "DOUBLE":
        number = float(given)
        if not math.isfinite(number):
            raise ValueError
        return number
    whole = int(given)
    if (isinstance(given, float) and whole != given) or abs(whole) >= 2**63:
        raise ValueError
    return whole


def _wanted(type_name: str) -> str:
    words = {"VARCHAR": "text", "BIGINT": "a whole number", "DOUBLE": "a number", "BOOLEAN": "yes or no"}
    if type_name.endswith("[]"):
        plural = {"VARCHAR": "texts", "BIGINT": "whole numbers", "DOUBLE": "numbers"}
        return f"{plural[type_name[:-2]]} separated by commas"
    return words[type_name]
