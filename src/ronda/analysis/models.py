"""Sessions, the batches of their tables, and the answers to their questions."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy


class SessionState(models.TextChoices):
    OPEN = "open", pgettext_lazy("state of a session", "Open")
    ANSWERING = "answering", _("Answering")
    ANSWERED = "answered", pgettext_lazy("state of a session", "Answered")
    EXPIRED = "expired", _("Data deleted")
    # On its way out: nobody sees it any more.
    ENDING = "ending", _("Ending")


# Its client has to give signs of life, and its tables grow.
LIVE_STATES = (SessionState.OPEN, SessionState.ANSWERING)
# Its segments are there.
STORED_STATES = (SessionState.OPEN, SessionState.ANSWERING, SessionState.ANSWERED)


class Session(models.Model):
    """One client's stream of tables, and what is asked of them."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="sessions", verbose_name=_("owner")
    )
    questions = models.CharField(_("questions"), max_length=80)
    # The client's own questions, by name: SQL files as they were handed in. Empty for a set the server knows.
    sql = models.JSONField(default=dict, blank=True)
    only = models.JSONField(default=list, blank=True)
    # Types of the columns of tables whose questions name none.
    columns = models.JSONField(default=dict, blank=True)
    parameters = models.JSONField(_("parameters"), default=dict, blank=True)
    engine = models.CharField(_("engine"), max_length=10, default="auto")
    is_live = models.BooleanField(_("answers while data arrives"), default=True)
    state = models.CharField(
        _("state"), max_length=10, choices=SessionState.choices, default=SessionState.OPEN
    )
    created_at = models.DateTimeField(_("opened"), default=timezone.now, editable=False)
    # By the database's clock, which silence is measured with.
    heartbeat_at = models.DateTimeField(_("last sign of life"), db_default=Now())
    closed_at = models.DateTimeField(_("closed"), null=True)
    answered_at = models.DateTimeField(_("answered"), null=True)
    # What the last live run saw, what it cost, and when the next one may begin.
    live_rows = models.BigIntegerField(default=0)
    live_due_at = models.DateTimeField(db_default=Now())
    # What the client calls it: asked for again under the same key, it gets this one.
    key = models.CharField(max_length=80, default="", blank=True)

    class Meta:
        verbose_name = _("session")
        verbose_name_plural = _("sessions")
        indexes = [
            models.Index("owner", models.F("created_at").desc(), name="session_of_owner"),
            models.Index("state", "heartbeat_at", name="session_by_state"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=("owner", "key"),
                name="session_once_a_key",
                condition=models.Q(state__in=["open", "answering"]) & ~models.Q(key=""),
            )
        ]

    def __str__(self) -> str:
        return f"{self.questions} {self.id}"

    @property
    def is_open(self) -> bool:
        return self.state == SessionState.OPEN

    @property
    def is_stored(self) -> bool:
        return self.state in STORED_STATES


class Batch(models.Model):
    """A piece of a table that was acknowledged: its segment is on disk, and counts once."""

    session = models.ForeignKey(Session, models.CASCADE, related_name="batches")
    table = models.CharField(_("table"), max_length=63)
    number = models.PositiveIntegerField(_("number"))
    # SHA-256 of the body as it was sent, compressed or not.
    checksum = models.CharField(_("checksum"), max_length=64)
    rows = models.BigIntegerField(_("rows"))
    dropped = models.BigIntegerField(_("dropped rows"), default=0)
    # How many were dropped why.
    reasons = models.JSONField(_("reasons"), default=dict)
    body_bytes = models.BigIntegerField(_("bytes sent"))
    segment_bytes = models.BigIntegerField(_("bytes kept"))
    received_at = models.DateTimeField(_("received"), default=timezone.now)

    class Meta:
        verbose_name = _("batch")
        verbose_name_plural = _("batches")
        constraints = [
            models.UniqueConstraint(fields=("session", "table", "number"), name="batch_once"),
            models.CheckConstraint(condition=models.Q(number__gte=1), name="batch_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.table} {self.number}"


class TableClose(models.Model):
    """How many batches a table has, by the word of the client that closed the session."""

    session = models.ForeignKey(Session, models.CASCADE, related_name="closes")
    table = models.CharField(_("table"), max_length=63)
    batches = models.PositiveIntegerField(_("batches"))

    class Meta:
        verbose_name = _("end of a table")
        verbose_name_plural = _("ends of tables")
        constraints = [models.UniqueConstraint(fields=("session", "table"), name="table_closed_once")]

    def __str__(self) -> str:
        return f"{self.table}: {self.batches}"


class AnswerState(models.TextChoices):
    WAITING = "waiting", _("Waiting")
    DONE = "done", _("Done")
    FAILED = "failed", _("Failed")


class AnswerRow(models.Model):
    """The newest answer to one question with one choice of parameters."""

    session = models.ForeignKey(Session, models.CASCADE, related_name="answers")
    question = models.CharField(_("question"), max_length=80)
    # Those that differ from the session's, as canonical JSON: the same question may be asked in several ways.
    key = models.CharField(max_length=64, default="")
    parameters = models.JSONField(_("parameters"), default=dict, blank=True)
    state = models.CharField(
        _("state"), max_length=7, choices=AnswerState.choices, default=AnswerState.WAITING
    )
    is_complete = models.BooleanField(_("complete"), default=False)
    # How much had arrived by then: rows, dropped rows and batches by table.
    seen = models.JSONField(default=dict)
    # Rows of each table that went into it, and those that did not, by reason.
    used = models.JSONField(default=dict)
    dropped = models.JSONField(default=dict)
    columns = models.JSONField(default=list)
    row_count = models.BigIntegerField(_("rows"), default=0)
    # The whole answer as canonical JSON, gzip. Bytes: what readers compare is what was computed.
    body = models.BinaryField(default=b"")
    digest = models.CharField(max_length=64, default="", blank=True)
    engine = models.CharField(_("engine"), max_length=10, default="", blank=True)
    warnings = models.JSONField(default=list)
    error = models.TextField(_("error"), blank=True)
    seconds = models.FloatField(_("took"), null=True)
    answered_at = models.DateTimeField(_("answered"), null=True)
    created_at = models.DateTimeField(_("asked"), default=timezone.now)
    fetch = models.ForeignKey("grid.Fetch", models.SET_NULL, null=True, related_name="+")

    class Meta:
        verbose_name = _("answer")
        verbose_name_plural = _("answers")
        constraints = [
            models.UniqueConstraint(fields=("session", "question", "key"), name="answer_once_a_question")
        ]
        indexes = [models.Index(models.F("answered_at").desc(), name="answer_newest")]

    def __str__(self) -> str:
        return f"{self.question} of {self.session_id}"


class Run(models.Model):
    """A job that answers questions of a session: at most one of a purpose at a time."""

    session = models.ForeignKey(Session, models.CASCADE, related_name="runs")
    job = models.ForeignKey("jobs.Job", models.CASCADE, related_name="+")
    is_final = models.BooleanField(default=False)

    class Meta:
        verbose_name = _("run")
        verbose_name_plural = _("runs")
        indexes = [models.Index("session", name="run_of_session")]

    def __str__(self) -> str:
        return f"run of {self.session_id}"
