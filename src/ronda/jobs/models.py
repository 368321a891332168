"""The job as people see it; Procrastinate's own row beside it only says when a worker is to take it."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _


class State(models.TextChoices):
    QUEUED = "queued", _("Queued")
    RUNNING = "running", _("Running")
    SUCCEEDED = "succeeded", _("Succeeded")
    FAILED = "failed", _("Failed")
    CANCELLED = "cancelled", _("Cancelled")


OPEN_STATES = (State.QUEUED, State.RUNNING)


class Job(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(_("kind"), max_length=80)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="jobs", verbose_name=_("owner")
    )
    arguments = models.JSONField(_("arguments"), default=dict)
    state = models.CharField(_("state"), max_length=10, choices=State.choices, default=State.QUEUED)

    done = models.BigIntegerField(_("done"), default=0)
    total = models.BigIntegerField(_("total"), null=True)
    # A template with {done} and {total}, so that it can be said in the language of whoever reads it.
    sentence = models.CharField(_("progress"), max_length=300, blank=True)
    checkpoint = models.JSONField(null=True)
    result = models.JSONField(_("result"), null=True)
    error = models.TextField(_("error"), blank=True)

    # Counts the workers that took it. Only the newest may write: an elder one, thought dead, is fenced off.
    attempt = models.IntegerField(_("attempt"), default=0)
    losses = models.IntegerField(_("workers lost"), default=0)
    worker = models.CharField(_("worker"), max_length=120, blank=True)
    queue_id = models.BigIntegerField(null=True, editable=False)
    # From the worker that has it in hand: one that lives but lost the job does not beat for it.
    beat_at = models.DateTimeField(null=True, editable=False)

    created_at = models.DateTimeField(_("created"), default=timezone.now, editable=False)
    started_at = models.DateTimeField(_("started"), null=True)
    ended_at = models.DateTimeField(_("ended"), null=True)
    cancel_requested_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("job")
        verbose_name_plural = _("jobs")
        indexes = [
            models.Index("owner", models.F("created_at").desc(), name="job_of_owner"),
            models.Index(models.F("created_at").desc(), name="job_newest"),
            models.Index("state", name="job_open", condition=models.Q(state__in=["queued", "running"])),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"

    @property
    def progress(self) -> str:
        """How far it is, in English, as the API says it."""
        return self._fill(self.sentence)

    @property
    def local_progress(self) -> str:
        """How far it is, in the language of the page."""
        return self._fill(gettext(self.sentence)) if self.sentence else ""

    @property
    def local_error(self) -> str:
        """What went wrong, in the language of the page where the catalogue has it."""
        return gettext(self.error) if self.error else ""

    def _fill(self, template: str) -> str:
        return template.format(done=self.done, total=self.total)

    @property
    def is_open(self) -> bool:
        return self.state in OPEN_STATES

    @property
    def is_cancelling(self) -> bool:
        return self.is_open and self.cancel_requested_at is not None

    @property
    def percent(self) -> int | None:
        return min(100, self.done * 100 // self.total) if self.total else None

    @property
    def seconds(self) -> float | None:
        """How long it ran, so far or in all."""
        if self.started_at is None:
            return None
        return ((self.ended_at or timezone.now()) - self.started_at).total_seconds()
