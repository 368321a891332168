"""What can be asked about captures."""

from __future__ import annotations

from django.db.models import QuerySet

from ronda.archive.models import AUTHORITY, Capture


def captures_of_host(name: str) -> QuerySet[Capture]:
    """Newest first. Needs no role of its own: whoever shows them has checked who looks."""
    return Capture.objects.alias(authority=AUTHORITY).filter(authority=name, voided_at=None).order_by("-pk")
