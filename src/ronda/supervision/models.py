"""What supervisors report: their processes, and who has led. Written by raw SQL, read by pages and API."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import ClassVar

from django.db import models
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Now
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _

from ronda.supervision.states import ProcessState

STATE_NAMES = {
    ProcessState.STARTING: _("Starting"),
    ProcessState.RUNNING: _("Running"),
    ProcessState.FAILING: _("Failing"),
    ProcessState.STOPPED: _("Stopped"),
}

# What processes say they are doing, over and over; they say it in English, pages in the reader's language.
USUAL_DOINGS = frozenset(
    {
        gettext_noop("leading"),
        gettext_noop("standing by"),
        gettext_noop("waiting for the database"),
        gettext_noop("idle: nothing to do"),
        gettext_noop("the server does not answer"),
        gettext_noop("the server asked to wait"),
    }
)

# A supervisor reports every second; this long without a report, and it is taken for gone.
SILENCE_SECONDS = 10


def silent_before() -> CombinedExpression:
    """By the database's clock, as the reports are: machines may disagree about the time."""
    return Now() - timedelta(seconds=SILENCE_SECONDS)


class ProcessManager(models.Manager["Process"]):
    def get_queryset(self) -> models.QuerySet[Process]:
        said = {"is_silent": models.Q(reported_at__lt=silent_before())}
        return super().get_queryset().annotate(**said)


class Process(models.Model):
    """One child of one `ronda up`. `instance` is new at every start, `name` is like worker-2."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    instance = models.UUIDField()
    machine = models.CharField(_("machine"), max_length=255)
    name = models.CharField(_("process"), max_length=80)
    role = models.CharField(_("role"), max_length=40)
    pid = models.IntegerField(_("process id"), null=True)
    state = models.CharField(
        _("state"), max_length=10, choices=[(state.value, name) for state, name in STATE_NAMES.items()]
    )
    doing = models.TextField(_("doing"), blank=True)
    restarts = models.IntegerField(_("restarts"), default=0)
    last_words = models.TextField(_("last words"), blank=True)
    version = models.CharField(_("version"), max_length=40)
    started_at = models.DateTimeField(_("started"), null=True)
    beat_at = models.DateTimeField(_("last heartbeat"), null=True)
    # When the supervisor last wrote this row: a stale one means the whole machine is gone.
    reported_at = models.DateTimeField()
    restart_requested_at = models.DateTimeField(null=True)

    # Said by the database with every row that is read.
    is_silent: bool

    objects: ClassVar[ProcessManager] = ProcessManager()

    class Meta:
        verbose_name = _("process")
        verbose_name_plural = _("processes")
        constraints = [models.UniqueConstraint("instance", "name", name="process_once")]

    def __str__(self) -> str:
        return f"{self.name} on {self.machine}"

    @property
    def local_doing(self) -> str:
        """What it is doing, in the language of the page, where it is one of the usual things."""
        return gettext(self.doing) if self.doing in USUAL_DOINGS else self.doing

    @property
    def is_alive(self) -> bool:
        return self.state == ProcessState.RUNNING and not self.is_silent


class Leadership(models.Model):
    """One term of one leader. The newest row with a fresh beat is the present leader."""

    instance = models.UUIDField()
    machine = models.CharField(_("machine"), max_length=255)
    pid = models.IntegerField(_("process id"))
    since = models.DateTimeField(_("since"))
    beat_at = models.DateTimeField(_("last heartbeat"))
    ended_at = models.DateTimeField(_("ended"), null=True)

    class Meta:
        verbose_name = _("leadership")
        verbose_name_plural = _("leaderships")
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.machine} since {self.since:%F %T}"


class Secret(models.Model):
    """Keys every machine on this database must share. At most one row a name."""

    name = models.CharField(max_length=40, primary_key=True)
    value = models.TextField()

    def __str__(self) -> str:
        return self.name
