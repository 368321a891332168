"""Digests as WARC records name them: `algorithm:value`, the value in hex or Base32. Ours are sha256 in hex."""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import _Hash

OWN = "sha256"
KNOWN = frozenset({"md5", "sha1", "sha256", "sha512"})


class Claim:
    """A digest that a record says it has, held against the bytes as they come by."""

    def __init__(self, text: str) -> None:
        algorithm, _, self._value = text.partition(":")
        self._name = algorithm.strip().lower().replace("-", "")
        # By a name nobody knows nothing can be checked, and nothing is held against the record.
        self._hash: _Hash | None = (
            hashlib.new(self._name, usedforsecurity=False) if self._name in KNOWN else None
        )

    def update(self, data: bytes) -> None:
        if self._hash:
            self._hash.update(data)

    @property
    def is_true(self) -> bool:
        if self._hash is None:
            return True
        told, found = self._value.strip(), self._hash.digest()
        return told.lower() == found.hex() or told.upper() == base64.b32encode(found).decode()
