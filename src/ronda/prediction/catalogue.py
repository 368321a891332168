"""The predictors there are: the files of `predictors/`, found by name."""

from __future__ import annotations

import pkgutil
from dataclasses import replace
from functools import cache
from importlib import import_module

from ronda.prediction import predictors
from ronda.prediction.contract import Predictor, Terms
from ronda.prediction.errors import NoSuchPredictor


@cache
def names() -> tuple[str, ...]:
    return tuple(sorted(module.name for module in pkgutil.iter_modules(predictors.__path__)))


def make(name: str, terms: Terms | None = None) -> Predictor:
    """By its name, with an argument behind a colon where it takes one: `fixed:7`."""
    bare, _, argument = name.partition(":")
    if bare not in names():
        raise NoSuchPredictor(f"There is no predictor {bare!r}.", hint=f"There are: {', '.join(names())}.")
    module = import_module(f"{predictors.__name__}.{bare}")
    predictor: Predictor = module.make(replace(terms or Terms(), argument=argument))
    return predictor
