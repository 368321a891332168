"""What is known of each node, and the checks it came from."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from ronda.grid.assignments import ROBOTS_PREFIX
from ronda.trust import rules


class TrustState(models.TextChoices):
    NEW = rules.State.NEW.value, _("new")
    TRUSTED = rules.State.TRUSTED.value, _("trusted")
    SUSPECTED = rules.State.SUSPECTED.value, _("suspected")
    QUARANTINED = rules.State.QUARANTINED.value, _("in quarantine")


class Standing(models.Model):
    """A node's score (see rules.Score), and from where on its answers would be taken back."""

    node = models.OneToOneField("grid.Node", models.CASCADE, primary_key=True, related_name="standing")
    state = models.CharField(_("trust"), max_length=11, choices=TrustState.choices, default=TrustState.NEW)
    replicated = models.BigIntegerField(_("answers compared"), default=0)
    checked = models.BigIntegerField(_("checks decided"), default=0)
    passed = models.BigIntegerField(_("passed"), default=0)
    failed = models.BigIntegerField(_("failed"), default=0)
    unclear = models.BigIntegerField(_("unclear"), default=0)
    unreached = models.IntegerField(_("probes in a row that it could not reach"), default=0)
    consecutive_valid = models.BigIntegerField(_("passed in a row"), default=0)
    agreed = models.BigIntegerField(_("confirmed by other people's answers in a row"), default=0)
    skipped = models.IntegerField(_("uploads in a row without their probes"), default=0)
    luck = models.FloatField(default=1.0)
    votes = models.JSONField(default=list)
    caught_by = models.CharField(max_length=10, blank=True)
    quarantined_at = models.DateTimeField(_("in quarantine since"), null=True)
    reason = models.CharField(_("because"), max_length=300, blank=True)
    # What it answered since its last passed check is still to be taken back.
    is_to_be_voided = models.BooleanField(default=False)
    # Ids of the newest answer and capture there were when its last passed check was made.
    answer_mark = models.BigIntegerField(default=0)
    capture_mark = models.BigIntegerField(default=0)
    # What it earned until then was answered before a check that it passed.
    vouched_at = models.DateTimeField(null=True)
    # When one of its last answers was chosen to be compared, as no further ones came.
    looked_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("standing")
        verbose_name_plural = _("standings")

    def __str__(self) -> str:
        return f"{self.node_id}: {self.state}"


class Incident(models.Model):
    """A node was put into quarantine, or let out: who or what did it, and why."""

    class Kind(models.TextChoices):
        CAUGHT = "caught", _("put in quarantine")
        LIFTED = "lifted", _("quarantine lifted")

    node = models.ForeignKey("grid.Node", models.CASCADE, related_name="incidents")
    kind = models.CharField(max_length=6, choices=Kind.choices)
    reason = models.CharField(max_length=300)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("incident")
        verbose_name_plural = _("incidents")

    def __str__(self) -> str:
        return f"{self.node_id} {self.kind}: {self.reason}"


class Canary(models.Model):
    """A canary site, and whether we reached it ourselves lately: one that does not work proves nothing."""

    url = models.CharField(max_length=300, primary_key=True)
    worked_at = models.DateTimeField(null=True)
    trouble = models.CharField(max_length=300, blank=True)

    def __str__(self) -> str:
        return self.url


class Probe(models.Model):
    """A page whose answer we know, and that a node was sent to. Its id is of the requests' sequence: it looks like one.

    Most are pages of a canary site. `robots_number`: its robots.txt, numbered like those of hosts. `digest`: a page of
    somebody else's, and what other people got there.
    """

    id = models.BigIntegerField(primary_key=True)
    node = models.ForeignKey("grid.Node", models.CASCADE, related_name="probes", db_index=False)
    block = models.UUIDField()
    url = models.TextField()
    path = models.CharField(max_length=80)
    robots_number = models.BigIntegerField(null=True)
    digest = models.CharField(max_length=80, blank=True)
    given_at = models.DateTimeField(default=timezone.now)
    seen_at = models.DateTimeField(null=True)
    seen_from = models.CharField(max_length=45, blank=True)
    result = models.CharField(max_length=9, blank=True)

    class Meta:
        verbose_name = _("probe")
        verbose_name_plural = _("probes")
        indexes = [
            models.Index("block", name="probe_of_block"),
            models.Index("path", name="probe_at_path"),
            models.Index("given_at", name="probe_given"),
        ]

    def __str__(self) -> str:
        return self.url

    @property
    def key(self) -> str:
        """What the node knows it by."""
        return str(self.pk) if self.robots_number is None else f"{ROBOTS_PREFIX}{self.robots_number}"


class CheckState(models.TextChoices):
    WAITING = "waiting", _("waits for another copy")
    READY = "ready", _("to be compared")
    DECIDED = "decided", _("decided")
    GIVEN_UP = "given up", _("nobody else could fetch it")


class ReportOutcome(models.TextChoices):
    """What became of a client's report."""

    WAITING = "waiting", _("reported, being checked")
    STANDS = "stands", _("reported: it stands")
    REPLACED = "replaced", _("reported: replaced")
    UNCLEAR = "unclear", _("reported: unclear")
    GIVEN_UP = "nobody else could fetch it", _("reported: nobody else could fetch it")


class Check(models.Model):
    """One answer compared with what other people's nodes get for the same URL."""

    url = models.TextField()
    host = models.CharField(max_length=262)
    state = models.CharField(max_length=8, choices=CheckState.choices, default=CheckState.WAITING)
    # What it says about the first copy, once decided.
    mark = models.CharField(max_length=8, blank=True)
    answer_mark = models.BigIntegerField(default=0)
    capture_mark = models.BigIntegerField(default=0)
    # If the first copy passes: until when its node's answers are vouched for.
    vouches_until = models.DateTimeField(null=True)
    # Whose client's fetch has the answer in question; none: nobody's, or a report says which.
    fetch = models.ForeignKey("grid.Fetch", models.CASCADE, null=True, db_index=False, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    asked_at = models.DateTimeField(default=timezone.now)
    decided_at = models.DateTimeField(null=True)
    # Of a client's report: which answer, by whom, and why.
    answer = models.ForeignKey(
        "grid.FetchAnswer", models.CASCADE, null=True, related_name="reports", db_index=True
    )
    reported_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    note = models.CharField(max_length=200, blank=True)

    class Meta:
        verbose_name = _("check")
        verbose_name_plural = _("checks")
        indexes = [
            models.Index("asked_at", name="check_open", condition=models.Q(state__in=("waiting", "ready"))),
            models.Index(
                "created_at",
                name="report_given_up",
                condition=models.Q(state="given up", answer__isnull=False),
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                "answer", name="answer_reported_once", condition=models.Q(answer__isnull=False)
            )
        ]

    def __str__(self) -> str:
        return f"{self.url}: {self.state}"

    @property
    def outcome(self) -> ReportOutcome:
        if self.state == CheckState.GIVEN_UP:
            return ReportOutcome.GIVEN_UP
        if self.state != CheckState.DECIDED:
            return ReportOutcome.WAITING
        decided = {rules.Mark.PASSED: ReportOutcome.STANDS, rules.Mark.OUTVOTED: ReportOutcome.REPLACED}
        return decided.get(rules.Mark(self.mark), ReportOutcome.UNCLEAR)


class CheckCopy(models.Model):
    """One person's answer within a check; the first is the one in question. No status: there was no answer."""

    of = models.ForeignKey(Check, models.CASCADE, related_name="copies")
    node = models.ForeignKey("grid.Node", models.SET_NULL, null=True, db_index=False, related_name="+")
    owner = models.BigIntegerField(null=True)
    country = models.CharField(max_length=2, blank=True)
    status = models.SmallIntegerField(default=0)
    # What the check says about it, once decided.
    mark = models.CharField(max_length=8, blank=True)
    capture = models.ForeignKey("archive.Capture", models.SET_NULL, null=True, db_index=False)

    class Meta:
        verbose_name = _("copy")
        verbose_name_plural = _("copies")
        ordering = ["pk"]
        indexes = [models.Index("capture", name="copy_capture", condition=models.Q(capture__isnull=False))]

    def __str__(self) -> str:
        return f"copy {self.pk} of check {self.of_id}"
