"""Random secrets that are shown once and kept as digests."""

from __future__ import annotations

import hashlib
import secrets

TOKEN_PREFIX = "ronda_"  # noqa: S105  (recognisable, so that secret scanners find leaked ones)


def new_secret(prefix: str = "") -> str:
    return prefix + secrets.token_urlsafe(32)


def digest_of(secret: str) -> str:
    """256 random bits need no salt and no slow hash; a digest is looked up by index."""
    return hashlib.sha256(secret.encode()).hexdigest()
