"""Nodes, and what clients asked them to fetch."""

from __future__ import annotations

import uuid
from datetime import timedelta

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from ronda.frontier.purposes import CUT_OFF

# A node is heard from at least twice in this time; longer silence means it is off.
AWAY_AFTER = timedelta(seconds=60)
# The reason of an answer that nobody was asked for.
FROM_ARCHIVE = "from the archive"


class Node(models.Model):
    """One lent machine of one contributor."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="nodes", verbose_name=_("contributor")
    )
    name = models.CharField(_("name"), max_length=80)
    version = models.CharField(_("release"), max_length=40)
    system = models.CharField(_("system"), max_length=120)
    registered_at = models.DateTimeField(_("registered"), default=timezone.now, editable=False)
    seen_at = models.DateTimeField(_("last seen"), default=timezone.now)
    answered = models.BigIntegerField(_("URLs answered"), default=0)
    country = models.CharField(_("country"), max_length=2, blank=True)
    # As the server measures it, whatever the node says; none: not yet.
    rate_urls_per_second = models.FloatField(_("measured URLs per second"), null=True)
    answered_at = models.DateTimeField(_("last answer"), null=True)
    # What its owner lets it take of one answer; none: as much as the server.
    response_bytes = models.BigIntegerField(_("most bytes of an answer"), null=True)
    response_seconds = models.FloatField(_("most seconds for an answer"), null=True)

    # What it says of itself, with every sign of life.
    slots = models.SmallIntegerField(_("hosts asked at a time"), default=0)
    pending = models.IntegerField(_("URLs in hand"), default=0)
    urls_per_second = models.FloatField(_("URLs per second"), default=0.0)
    doing = models.CharField(_("doing"), max_length=200, blank=True)
    resting_because = models.CharField(_("rests because"), max_length=200, blank=True)

    # What its contributor says of it, on the server.
    paused_at = models.DateTimeField(_("paused"), null=True)
    removed_at = models.DateTimeField(_("removed"), null=True)

    class Meta:
        verbose_name = _("node")
        verbose_name_plural = _("nodes")
        constraints = [models.UniqueConstraint("owner", "name", name="node_name_of_owner")]

    def __str__(self) -> str:
        return self.name

    @property
    def is_present(self) -> bool:
        return timezone.now() - self.seen_at < AWAY_AFTER


class MinuteCount(models.Model):
    """What one node brought in one minute, by outcome: written with each upload, so that nobody counts captures.

    A row belongs to one node: no two uploads wait for each other but those of the same node. Old ones are dropped.
    """

    pk = models.CompositePrimaryKey("minute", "node_id", "outcome")
    minute = models.DateTimeField()
    node_id = models.UUIDField()
    # "2xx" to "5xx", "refused", or the node's reason for a failure.
    outcome = models.CharField(max_length=24)
    urls = models.IntegerField()
    size_bytes = models.BigIntegerField()

    class Meta:
        verbose_name = _("count of a minute")
        verbose_name_plural = _("counts of minutes")
        indexes = [models.Index("node_id", "minute", name="minutes_of_node")]

    def __str__(self) -> str:
        return f"{self.minute:%F %R} {self.outcome}: {self.urls}"


class FetchState(models.TextChoices):
    RUNNING = "running", _("Running")
    CANCELLING = "cancelling", _("Being cancelled")
    CANCELLED = "cancelled", _("Cancelled")
    DONE = "succeeded", _("Done")


class Fetch(models.Model):
    """A client's list of URLs to be fetched. Its batch in the frontier counts how far it is."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="fetches")
    batch = models.OneToOneField("frontier.Batch", models.PROTECT)
    refused = models.BigIntegerField(_("URLs refused at once"), default=0)
    # From which countries each URL is fetched; none: from anywhere.
    vantage = ArrayField(models.CharField(max_length=2), verbose_name=_("countries"), default=list)
    is_to_be_compared = models.BooleanField(default=False)
    created_at = models.DateTimeField(_("created"), default=timezone.now)

    class Meta:
        verbose_name = _("fetch")
        verbose_name_plural = _("fetches")
        indexes = [
            models.Index("created_at", name="fetch_to_compare", condition=models.Q(is_to_be_compared=True))
        ]

    def __str__(self) -> str:
        return f"fetch {self.id}"

    @property
    def is_done(self) -> bool:
        return self.batch.ended >= self.batch.total

    @property
    def counting_answers(self) -> models.QuerySet[FetchAnswer]:
        """Without what was taken back."""
        return self.answers.exclude(state=AnswerState.VOID)

    @property
    def state(self) -> FetchState:
        if self.batch.is_cancelled:
            return FetchState.CANCELLED if self.is_done else FetchState.CANCELLING
        return FetchState.DONE if self.is_done else FetchState.RUNNING

    @property
    def percent(self) -> int:
        return 100 * self.batch.ended // self.batch.total if self.batch.total else 100


class AnswerState(models.TextChoices):
    FETCHED = "fetched", _("fetched")
    FAILED = "failed", _("failed")
    REFUSED = "refused", _("refused")
    CANCELLED = "cancelled", _("cancelled")
    VOID = "void", _("void")


class FetchAnswer(models.Model):
    """What became of one URL of a fetch. Ids grow in the order of answers, so a reader can go on where it stopped."""

    fetch = models.ForeignKey(Fetch, models.CASCADE, related_name="answers", db_index=False)
    url = models.TextField()
    state = models.CharField(max_length=9, choices=AnswerState.choices)
    status = models.SmallIntegerField(default=0)
    reason = models.CharField(max_length=300, blank=True)
    capture = models.ForeignKey("archive.Capture", models.SET_NULL, null=True, db_index=False)
    # Whose answer it is, also by way of the archive; of a refusal, who told the rules. None: nobody was asked.
    node = models.ForeignKey(Node, models.SET_NULL, null=True, db_index=False)
    # Where the answer was fetched from, or was to be.
    country = models.CharField(_("country"), max_length=2, blank=True)
    # Why it may be wrong, though nothing better is known.
    doubt = models.CharField(max_length=200, blank=True, db_default="")
    # Of a notice: the answer that no longer counts. Readers who have had that one learn of it here.
    voids = models.ForeignKey("self", models.CASCADE, null=True, db_index=False, related_name="+")
    answered_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("answer")
        verbose_name_plural = _("answers")
        indexes = [models.Index("fetch", "id", name="answer_of_fetch")]

    def __str__(self) -> str:
        return f"{self.url}: {self.state}"

    @property
    def is_from_archive(self) -> bool:
        return self.reason == FROM_ARCHIVE

    @property
    def is_cut_off(self) -> bool:
        return self.reason == CUT_OFF


class Comparison(models.Model):
    """Whether the answers to one URL from several countries say the same; `rung` is what told."""

    fetch = models.ForeignKey(Fetch, models.CASCADE, related_name="comparisons", db_index=False)
    url = models.TextField()
    outcome = models.CharField(max_length=12)
    rung = models.CharField(max_length=8)
    similarity = models.FloatField(null=True)

    class Meta:
        verbose_name = _("comparison")
        verbose_name_plural = _("comparisons")
        constraints = [models.UniqueConstraint("fetch", "url", name="compared_once")]

    def __str__(self) -> str:
        return f"{self.url}: {self.outcome}"
