"""Functions of our own that questions may call, on every engine: each takes and gives Arrow arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from ronda.analysis.literals import names_in
from ronda.analysis.sentiment import SentimentModel

Vectorised = Callable[[pa.Array], pa.Array]


@dataclass(frozen=True)
class Function:
    """Takes one text a row. The type of what it gives is one of ours."""

    name: str
    gives: str
    run: Vectorised


def functions(model: SentimentModel) -> tuple[Function, ...]:
    def sentiment(texts: pa.Array) -> pa.Array:
        """sentiment('…') → from -1 (as bad as can be) to 1; NULL for no text."""
        return pa.array(model.scores(texts.to_pylist()), pa.float64())

    return (Function("names_in", "VARCHAR[]", names_in_texts), Function("sentiment", "DOUBLE", sentiment))


def names_in_texts(texts: pa.Array) -> pa.Array:
    """names_in('[{''name'': ''Drama''}]') → ['Drama']; NULL for what is no such list."""
    found = [None if text is None else names_in(text) for text in texts.to_pylist()]
    return pa.array(found, pa.list_(pa.string()))
