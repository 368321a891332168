"""Secrets that every machine on this database shares, whatever its own configuration says."""

from __future__ import annotations

import secrets

from ronda.supervision.models import Secret


def shared_secret(name: str) -> str:
    """Made by whoever asks first."""
    secret, _ = Secret.objects.get_or_create(name=name, defaults={"value": secrets.token_urlsafe(48)})
    return secret.value
