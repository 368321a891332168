"""Answers of this process to questions about a state of the lake: asked again, they need no second look.

Exact, as the key holds the snapshot: whatever is written makes another one.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import duckdb

from ronda.lake.snapshots import snapshot_of

T = TypeVar("T")

MAX_ANSWERS = 1_000

_kept: OrderedDict[Hashable, Any] = OrderedDict()
_lock = threading.Lock()


def kept(lake: duckdb.DuckDBPyConnection, question: Hashable, answer: Callable[[], T]) -> T:
    key = (snapshot_of(lake), question)
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            found: T = _kept[key]
            return found
    made = answer()
    with _lock:
        _kept[key] = made
        while len(_kept) > MAX_ANSWERS:
            _kept.popitem(last=False)
    return made
