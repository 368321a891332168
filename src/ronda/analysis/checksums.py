"""Checksums of bodies: the Content-Digest field of RFC 9530, as a structured dictionary of byte sequences. Pure."""

from __future__ import annotations

import base64
import binascii
import re

from ronda.errors import InvalidInput

FIELD = "Content-Digest"
_SHA_256 = re.compile(r"(?:^|[,\s])sha-256=:([A-Za-z0-9+/=]{1,88}):", re.IGNORECASE)


def digest_field(sha256: bytes) -> str:
    return f"sha-256=:{base64.b64encode(sha256).decode()}:"


def sha256_of_field(value: str | None) -> str:
    """The SHA-256 a Content-Digest field names, in hexadecimal."""
    found = _SHA_256.search(value or "")
    try:
        raw = base64.b64decode(found[1], validate=True) if found else b""
    except binascii.Error:
        raw = b""
    if len(raw) != 32:
        raise InvalidInput(
            f"A batch comes with its checksum in the header {FIELD}.",
            field=FIELD,
            hint="It is sha-256=:BASE64: over the body as it is sent (RFC 9530).",
        )
    return raw.hex()
