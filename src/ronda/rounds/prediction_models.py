"""What is known of how sources change: counts, signals from outside, beacons, chosen predictors, simulations."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from ronda.prediction import groups
from ronda.rounds.models import Source


class FrequencyGroup(models.TextChoices):
    """By P(x), the share of observed days with a change, as the document has them."""

    HIGH = groups.Frequency.HIGH, pgettext_lazy("how often it changes", "high")
    MEDIUM = groups.Frequency.MEDIUM, pgettext_lazy("how often it changes", "medium")
    LOW = groups.Frequency.LOW, pgettext_lazy("how often it changes", "low")


class Behaviour(models.TextChoices):
    STEADY = groups.Behaviour.STEADY, pgettext_lazy("how a source changes", "steady")
    WORKING_DAY = groups.Behaviour.WORKING_DAY, pgettext_lazy("how a source changes", "on working days")
    BURSTY = groups.Behaviour.BURSTY, pgettext_lazy("how a source changes", "in bursts")
    SEASONAL = groups.Behaviour.SEASONAL, pgettext_lazy("how a source changes", "by seasons")
    SILENT = groups.Behaviour.SILENT, pgettext_lazy("how a source changes", "silent")
    ERRATIC = groups.Behaviour.ERRATIC, pgettext_lazy("how a source changes", "erratic")


class TrackRecord(models.Model):
    """What the visits to a source came to so far. Written when one ends, so that lists of many need not count."""

    source = models.OneToOneField(Source, models.CASCADE, primary_key=True, related_name="record")
    # Looks that found it there; those that found it as it was; those that found a change.
    visits = models.PositiveIntegerField(_("visits"), default=0)
    needless = models.PositiveIntegerField(_("needless visits"), default=0)
    changes = models.PositiveIntegerField(_("changes"), default=0)
    # Changes that no visit saw by themselves, estimated.
    lost = models.FloatField(_("changes lost (estimated)"), default=0)
    bytes_stored = models.BigIntegerField(_("bytes stored"), default=0)
    bytes_saved = models.BigIntegerField(_("bytes saved"), default=0)
    observed_days = models.PositiveIntegerField(_("observed days"), default=0)
    frequency = models.FloatField(_("frequency"), default=0)
    group = models.CharField(_("group"), max_length=6, choices=FrequencyGroup.choices, blank=True)
    behaviour = models.CharField(_("behaviour"), max_length=11, choices=Behaviour.choices, blank=True)
    # The predictor that did best on its own history, what each would have done, and when that was tried.
    best_predictor = models.CharField(_("best predictor"), max_length=40, blank=True)
    back_test = models.JSONField(default=list)
    back_tested_at = models.DateTimeField(_("tried"), null=True)

    class Meta:
        verbose_name = _("track record")
        verbose_name_plural = _("track records")
        indexes = [models.Index("group", "behaviour", name="record_of_group")]

    def __str__(self) -> str:
        return f"record of {self.source_id}"


class PredictorChoice(models.Model):
    """The predictor of all sources of a collection or topic that name none themselves."""

    collection = models.OneToOneField("archive.Collection", models.CASCADE, null=True, related_name="+")
    topic = models.OneToOneField("archive.Topic", models.CASCADE, null=True, related_name="+")
    predictor = models.CharField(_("predictor"), max_length=40)

    class Meta:
        verbose_name = _("choice of a predictor")
        verbose_name_plural = _("choices of predictors")
        constraints = [
            models.CheckConstraint(
                condition=models.Q(collection__isnull=False, topic__isnull=True)
                | models.Q(collection__isnull=True, topic__isnull=False),
                name="choice_of_one_thing",
            )
        ]

    def __str__(self) -> str:
        return self.predictor


class SignalKind(models.TextChoices):
    TOLD = "told", pgettext_lazy("a signal", "somebody said so")
    FEED = "feed", pgettext_lazy("a signal", "its feed has news")
    SITEMAP = "sitemap", pgettext_lazy("a signal", "its sitemap has news")
    WIKI = "wiki", pgettext_lazy("a signal", "its recent changes")


class Signal(models.Model):
    """Word from elsewhere that a source changed."""

    source = models.ForeignKey(Source, models.CASCADE, related_name="signals", db_index=False)
    kind = models.CharField(_("kind"), max_length=7, choices=SignalKind.choices)
    at = models.DateTimeField(_("when"), default=timezone.now)
    url = models.TextField(_("URL"), blank=True)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, db_index=False, related_name="+"
    )
    # Whether the next visit found a change; none: it has not been made yet.
    was_right = models.BooleanField(_("was right"), null=True)

    class Meta:
        verbose_name = _("signal")
        verbose_name_plural = _("signals")
        indexes = [
            models.Index("source", models.F("at").desc(), name="signal_of_source"),
            models.Index("person", "at", name="signal_by_person", condition=models.Q(person__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.source_id}"


class Beacon(models.Model):
    """A feed or sitemap of a source, looked at between its visits."""

    source = models.ForeignKey(Source, models.CASCADE, related_name="beacons", db_index=False)
    kind = models.CharField(_("kind"), max_length=7, choices=SignalKind.choices)
    url = models.TextField(_("URL"))
    url_digest = models.UUIDField()
    # What it named when it was last read: another fingerprint is a signal.
    fingerprint = models.CharField(max_length=32, blank=True)
    capture = models.ForeignKey(
        "archive.Capture", models.SET_NULL, null=True, db_index=False, related_name="+"
    )
    next_look_at = models.DateTimeField(_("next look"), null=True)
    looks = models.PositiveIntegerField(_("looks"), default=0)

    class Meta:
        verbose_name = _("beacon")
        verbose_name_plural = _("beacons")
        constraints = [models.UniqueConstraint("source", "url_digest", name="beacon_once")]
        indexes = [
            models.Index("next_look_at", name="beacon_due", condition=models.Q(next_look_at__isnull=False))
        ]

    def __str__(self) -> str:
        return self.url


class VisitBudget(models.Model):
    """How many scheduled visits may be opened now: it fills over the day. One row."""

    allowance = models.FloatField(default=0)
    counted_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("budget of visits")
        verbose_name_plural = _("budgets of visits")

    def __str__(self) -> str:
        return f"{self.allowance:.1f}"


class Simulation(models.Model):
    """Predictors compared on a trace: of a collection's own visits, brought by somebody, or made up."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    title = models.CharField(_("title"), max_length=200)
    created_at = models.DateTimeField(_("started"), default=timezone.now, editable=False)
    # Either a trace as CSV, or what to make one of.
    trace = models.TextField(blank=True)
    collection = models.ForeignKey("archive.Collection", models.CASCADE, null=True, related_name="+")
    scenario = models.JSONField(default=dict)
    predictors = models.JSONField(default=list)
    objective = models.CharField(max_length=10, default="versions")
    visits_per_day = models.FloatField(null=True)
    job = models.ForeignKey("jobs.Job", models.SET_NULL, null=True, related_name="+")
    result = models.JSONField(null=True)

    class Meta:
        verbose_name = _("simulation")
        verbose_name_plural = _("simulations")
        indexes = [models.Index("owner", models.F("created_at").desc(), name="simulation_of_person")]

    def __str__(self) -> str:
        return self.title
