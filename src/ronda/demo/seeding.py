"""Numbers that depend on nothing but their key: the reason why the demo web is the same everywhere.

`random.Random(text)` costs ten times as much as one short digest, and pages need millions of draws.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")


def seeded_number(*key: object) -> int:
    """A 64-bit number for this key."""
    text = "\x1f".join(map(str, key))
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")


def seeded_choice(options: Sequence[T], *key: object) -> T:
    return options[seeded_number(*key) % len(options)]


def seeded_stream(*key: object) -> random.Random:
    """A generator of its own for this key, for sequences of draws."""
    return random.Random(seeded_number(*key))  # noqa: S311 - repeatable on purpose, no secret
