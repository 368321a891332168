"""Digests as WARC records name them: `algorithm:value`, the value in hex or Base32. Ours are sha256 in hex."""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import _Hash

OWN = "sha256"
# Before the digest of an imported revisit while nobody knows its payload: texts are found by the digest alone, and who
# names that of a page elsewhere is not to read it.
CLAIMED = "claimed:"
KNOWN = frozenset({"md5", "sha1", "sha256", "sha512"})


class Claim:
    """A digest that a record says it has, held against the bytes as they come by."""

    def __init__(self, text: str, own: _Hash | None = None) -> None:
        """`own`: a hash of ours over the same bytes, kept by somebody else: it is used where it will do."""
        algorithm, _, self._value = text.partition(":")
        self._name = algorithm.strip().lower().replace("-", "")
        self._is_shared = own is not None and self._name == OWN
        # By a name nobody knows nothing can be checked, and nothing is held against the record.
        self._hash = own if self._is_shared else _new(self._name)

    def update(self, data: bytes) -> None:
        if self._hash and not self._is_shared:
            self._hash.update(data)

    @property
    def is_true(self) -> bool:
        if self._hash is None:
            return True
        told, found = self._value.strip(), self._hash.digest()
        return told.lower() == found.hex() or told.upper() == base64.b32encode(found).decode()


def _new(name: str) -> _Hash | None:
    return hashlib.new(name, usedforsecurity=False) if name in KNOWN else None
