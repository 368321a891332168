"""What people do to processes."""

from __future__ import annotations

import uuid
from datetime import timedelta

from django.db.models.functions import Now
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.supervision.errors import NoSuchProcess, ProcessGone
from ronda.supervision.models import Leadership, Process


def restart_process(*, actor: Person | None, process_id: uuid.UUID) -> Process:
    """Ask its supervisor to restart a process; it looks every second. A worker puts its jobs back first."""
    require(actor, Role.ADMINISTRATOR)
    process = Process.objects.filter(pk=process_id).first()
    if process is None:
        raise NoSuchProcess()
    if process.is_silent:
        raise ProcessGone()
    process.restart_requested_at = timezone.now()
    process.save(update_fields=["restart_requested_at"])
    return process


def forget_old_reports() -> None:
    """Rows of starts that are long over."""
    Process.objects.filter(reported_at__lt=Now() - timedelta(days=1)).delete()
    Leadership.objects.filter(beat_at__lt=Now() - timedelta(days=30)).delete()
