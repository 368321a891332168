"""Who wants to hear of new versions, where, and what is still to be sent."""

from __future__ import annotations

from django.conf import settings
from django.core.validators import MaxValueValidator
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from ronda.rounds.models import Source, Version


class TargetKind(models.TextChoices):
    MAIL = "mail", _("mail")
    APPRISE = "apprise", _("Apprise")


class Target(models.Model):
    """Where a person's notices go: their mailbox, or any service Apprise knows."""

    # Failures in a row from which on people are told; one is an ordinary hiccup.
    FAILING_FROM = 3

    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="targets")
    kind = models.CharField(_("kind"), max_length=7, choices=TargetKind.choices)
    # Apprise addresses carry passwords and tokens: only `shown` is ever shown.
    address = models.TextField(blank=True)
    shown = models.CharField(_("address"), max_length=300, blank=True)
    language = models.CharField(_("language"), max_length=10, default="en")
    created_at = models.DateTimeField(_("added"), default=timezone.now, editable=False)
    sent_at = models.DateTimeField(_("last sent"), null=True)
    failures = models.PositiveSmallIntegerField(_("failures in a row"), default=0)
    last_error = models.CharField(_("why it failed"), max_length=500, blank=True)
    retry_at = models.DateTimeField(_("tried again"), null=True)
    # A worker is sending until then; if it dies, another one may.
    busy_until = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("target")
        verbose_name_plural = _("targets")
        constraints = [models.UniqueConstraint("person", "kind", "address", name="target_once")]

    def __str__(self) -> str:
        return self.shown

    @property
    def is_failing(self) -> bool:
        return self.failures >= self.FAILING_FROM


class Rhythm(models.TextChoices):
    AT_ONCE = "at_once", _("at once")
    DAILY = "daily", _("once a day")
    WEEKLY = "weekly", _("once a week")


class Weekday(models.IntegerChoices):
    MONDAY = 0, _("Monday")
    TUESDAY = 1, _("Tuesday")
    WEDNESDAY = 2, _("Wednesday")
    THURSDAY = 3, _("Thursday")
    FRIDAY = 4, _("Friday")
    SATURDAY = 5, _("Saturday")
    SUNDAY = 6, _("Sunday")


class Subscription(models.Model):
    """What a target hears of: a source, a collection, or (neither) everything its person owns."""

    target = models.ForeignKey(Target, models.CASCADE, related_name="subscriptions")
    source = models.ForeignKey(Source, models.CASCADE, null=True, related_name="subscriptions")
    collection = models.ForeignKey(
        "archive.Collection", models.CASCADE, null=True, related_name="subscriptions"
    )
    rhythm = models.CharField(_("when"), max_length=7, choices=Rhythm.choices, default=Rhythm.AT_ONCE)
    # Of digests, in UTC.
    hour = models.PositiveSmallIntegerField(_("hour"), default=7, validators=[MaxValueValidator(23)])
    weekday = models.PositiveSmallIntegerField(
        _("day of the week"), choices=Weekday.choices, default=Weekday.MONDAY
    )
    created_at = models.DateTimeField(_("added"), default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("subscription")
        verbose_name_plural = _("subscriptions")
        constraints = [
            models.UniqueConstraint(
                "target", "source", "collection", name="subscribed_once", nulls_distinct=False
            ),
            models.CheckConstraint(
                condition=models.Q(source=None) | models.Q(collection=None), name="source_or_collection"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.source or self.collection or 'mine'} → {self.target}"


class Notice(models.Model):
    """A version a target is to hear of: once, whatever subscriptions it stands in."""

    version = models.ForeignKey(Version, models.CASCADE, related_name="notices")
    target = models.ForeignKey(Target, models.CASCADE, related_name="notices", db_index=False)
    due_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("notice")
        verbose_name_plural = _("notices")
        constraints = [models.UniqueConstraint("target", "version", name="notice_once")]
        indexes = [models.Index("due_at", name="notice_due", condition=models.Q(sent_at=None))]

    def __str__(self) -> str:
        return f"{self.version_id} → {self.target_id}"


class FeedKey(models.Model):
    """What a person's feed addresses are made from; another nonce, and the old addresses lead nowhere."""

    person = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="feed_key")
    nonce = models.CharField(max_length=40)
    made_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("feed key")
        verbose_name_plural = _("feed keys")

    def __str__(self) -> str:
        return f"feed key of {self.person_id}"
