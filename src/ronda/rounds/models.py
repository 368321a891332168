"""Sources, the visits made to them, and the versions that were kept."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import BrinIndex
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from ronda.archive.models import AUTHORITY


class Scope(models.TextChoices):
    """How far a source reaches from its URL."""

    PAGE = "page", _("this page and what it is made of")
    PREFIX = "prefix", _("everything below this address")
    HOST = "host", _("the whole host")
    DOMAIN = "domain", _("the domain with all its hosts")


class SourceState(models.TextChoices):
    ACTIVE = "active", _("followed")
    PAUSED = "paused", pgettext_lazy("state of a source", "paused")
    ENDED = "ended", _("no longer followed")


class Source(models.Model):
    """A site or page that is followed."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    url = models.TextField(_("URL"))
    title = models.CharField(_("title"), max_length=300, blank=True)
    collection = models.ForeignKey(
        "archive.Collection", models.PROTECT, related_name="sources", verbose_name=_("collection")
    )
    topic = models.ForeignKey(
        "archive.Topic",
        models.PROTECT,
        null=True,
        blank=True,
        related_name="sources",
        verbose_name=_("topic"),
    )
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="sources", verbose_name=_("owner")
    )
    notes = models.TextField(_("notes"), blank=True)
    tags = ArrayField(models.CharField(max_length=40), verbose_name=_("tags"), default=list, blank=True)
    state = models.CharField(
        _("state"), max_length=6, choices=SourceState.choices, default=SourceState.ACTIVE
    )
    # How often it was edited: who edits an older one is told.
    edition = models.PositiveIntegerField(default=0, db_default=0)
    created_at = models.DateTimeField(_("followed since"), default=timezone.now, editable=False)

    # What a capture may take.
    scope = models.CharField(_("scope"), max_length=6, choices=Scope.choices, default=Scope.HOST)
    depth = models.PositiveSmallIntegerField(_("links deep"), default=3)
    max_pages = models.PositiveIntegerField(_("pages at most"), default=1000)
    max_bytes = models.BigIntegerField(_("bytes at most"), default=1024**3)
    max_seconds = models.PositiveIntegerField(_("seconds at most"), default=6 * 3600)
    is_for_any_node = models.BooleanField(_("also by nodes not yet trusted"), default=False)

    # From which score on a change is important; none: what the settings say.
    threshold = models.FloatField(_("important from"), null=True, blank=True)

    # When. No interval: Ronda finds it.
    every_seconds = models.PositiveIntegerField(_("seconds between visits"), null=True, blank=True)
    next_visit_at = models.DateTimeField(_("next visit"), null=True)
    # A sentence with gaps, looked up in the reader's language, and what fills them.
    next_visit_because = models.CharField(_("why then"), max_length=200, blank=True)
    next_visit_values = models.JSONField(default=dict, db_default=models.Value({}, models.JSONField()))
    # The probability that the next visit finds a change, as far as the predictor says one.
    next_visit_chance = models.FloatField(_("chance of a change"), null=True)
    # From the last visit to the next, as the predictor would have it.
    auto_seconds = models.PositiveIntegerField(default=86400)
    # By name; empty: that of its topic, its collection, or the settings.
    predictor = models.CharField(_("predictor"), max_length=40, blank=True, db_default="")
    # Who visits it, by the name it registered; empty: its pages are fetched.
    visitor = models.CharField(max_length=20, blank=True, default="", db_default="")
    # How much it counts where not all that is due can be visited.
    weight = models.FloatField(_("weight"), default=1.0, db_default=1.0)
    visited_at = models.DateTimeField(_("last visit"), null=True)
    failed_visits = models.PositiveSmallIntegerField(_("visits in a row that found it down"), default=0)

    class Meta:
        verbose_name = _("source")
        verbose_name_plural = _("sources")
        constraints = [
            models.UniqueConstraint("collection", "url", "scope", name="source_once"),
        ]
        indexes = [
            models.Index("next_visit_at", name="source_due", condition=models.Q(state="active")),
            models.Index(AUTHORITY, name="source_of_host"),
        ]

    def __str__(self) -> str:
        return self.title or self.url


class VisitCause(models.TextChoices):
    FIRST = "first", _("the first visit")
    SCHEDULE = "schedule", _("it was due")
    SIGNAL = "signal", _("a signal said it had changed")
    HAND = "hand", _("somebody asked")


class VisitState(models.TextChoices):
    PROBING = "probing", _("looking whether it changed")
    CAPTURING = "capturing", _("capturing")
    ENDED = "ended", _("ended")


class VisitOutcome(models.TextChoices):
    OPEN = "", _("not yet known")
    UNCHANGED = "unchanged", _("unchanged")
    CAPTURED = "captured", _("captured")
    DOWN = "down", _("down")
    REFUSED = "refused", _("refused by robots.txt")
    CANCELLED = "cancelled", _("cancelled")
    # Nobody knows what is there: its time or bytes were used up before a page came.
    EXHAUSTED = "exhausted", _("ended before a page came")


class Visit(models.Model):
    """One look at a source: a probe of its entry pages, and a capture if they changed."""

    source = models.ForeignKey(Source, models.CASCADE, related_name="visits", db_index=False)
    cause = models.CharField(_("cause"), max_length=8, choices=VisitCause.choices)
    state = models.CharField(_("state"), max_length=9, choices=VisitState.choices, default=VisitState.PROBING)
    outcome = models.CharField(_("outcome"), max_length=9, choices=VisitOutcome.choices, blank=True)
    # Why it ended as it did, or why before everything was captured: in words for people.
    reason = models.CharField(_("reason"), max_length=300, blank=True)
    opened_at = models.DateTimeField(_("opened"), default=timezone.now)
    # What the source itself says of its last change (Last-Modified).
    modified_at = models.DateTimeField(_("modified"), null=True)
    capture_began_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(_("ended"), null=True)
    is_to_be_cancelled = models.BooleanField(default=False)
    # What it cost, kept when the pages of a visit that found nothing new are not.
    requests = models.PositiveIntegerField(_("requests"), default=0)
    # As received, before it was packed: what its budget of bytes counts.
    size_bytes = models.BigIntegerField(_("bytes"), default=0)
    failures = models.PositiveIntegerField(_("failures"), default=0)
    # Pages of which only a part came: too long, too slow, or broken off.
    cut_off = models.PositiveIntegerField(_("cut off"), default=0, db_default=0)
    # Three events apart: pages whose bytes changed, those in which a reader could tell, and a version, if one is kept.
    pages_bytes = models.PositiveIntegerField(_("pages with other bytes"), default=0)
    pages_meaning = models.PositiveIntegerField(_("pages that read or look different"), default=0)
    # Found and not asked for: why → how many.
    left_out = models.JSONField(_("left out"), default=dict)

    class Meta:
        verbose_name = _("visit")
        verbose_name_plural = _("visits")
        indexes = [
            models.Index("source", models.F("opened_at").desc(), name="visit_of_source"),
            models.Index("state", name="visit_open", condition=~models.Q(state="ended")),
            # Visits are made in the order of time: a few pages tell where each month's are.
            BrinIndex("opened_at", name="visit_times"),
        ]
        constraints = [
            models.UniqueConstraint("source", name="one_visit_at_a_time", condition=~models.Q(state="ended")),
        ]

    def __str__(self) -> str:
        return f"visit {self.pk} of {self.source_id}"

    @property
    def seconds(self) -> float:
        """How long it took, or has taken so far."""
        return ((self.ended_at or timezone.now()) - self.opened_at).total_seconds()


class PageRole(models.TextChoices):
    """Why a URL is part of a visit."""

    ENTRY = "entry", _("entry page")
    PAGE = "page", _("page")
    REQUISITE = "requisite", _("part of a page")
    SITEMAP = "sitemap", _("sitemap")
    FEED = "feed", _("feed")


class PageState(models.TextChoices):
    QUEUED = "queued", _("waiting")
    ANSWERED = "answered", _("answered, links not yet read")
    DONE = "done", _("captured")
    FAILED = "failed", _("failed")
    REFUSED = "refused", _("refused")
    LEFT = "left", _("left out")


class VisitPage(models.Model):
    """One URL of a visit: how it was found and what became of it. Those with a capture make up the version."""

    visit = models.ForeignKey(Visit, models.CASCADE, related_name="pages", db_index=False)
    url = models.TextField()
    url_digest = models.UUIDField()
    role = models.CharField(max_length=9, choices=PageRole.choices)
    state = models.CharField(max_length=8, choices=PageState.choices, default=PageState.QUEUED)
    depth = models.PositiveSmallIntegerField(default=0)
    found_on = models.ForeignKey("self", models.SET_NULL, null=True, db_index=False, related_name="+")
    status = models.SmallIntegerField(default=0)
    reason = models.CharField(max_length=300, blank=True)
    capture = models.ForeignKey(
        "archive.Capture", models.SET_NULL, null=True, db_index=False, related_name="+"
    )
    is_unchanged = models.BooleanField(default=False)
    # What its URL looks like, numbers levelled: of one pattern a capture takes only so many.
    pattern = models.UUIDField(null=True)

    class Meta:
        verbose_name = _("page of a visit")
        verbose_name_plural = _("pages of visits")
        constraints = [models.UniqueConstraint("visit", "url_digest", name="page_once_a_visit")]
        indexes = [
            models.Index(
                "visit",
                "state",
                name="visit_pages_open",
                condition=models.Q(state__in=["queued", "answered"]),
            ),
        ]

    def __str__(self) -> str:
        return self.url

    @property
    def is_as_before(self) -> bool:
        """It came as the last version has it, or with a payload that was kept of this very URL."""
        held = self.capture.refers_to if self.capture else None
        return self.is_unchanged or (held is not None and held.url_digest == self.url_digest)


class Version(models.Model):
    """A state of a source worth keeping: what one capture kept, in numbers. Its pages are those of its visit."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    source = models.ForeignKey(Source, models.CASCADE, related_name="versions", db_index=False)
    visit = models.OneToOneField(Visit, models.CASCADE, related_name="version")
    number = models.PositiveIntegerField(_("number"))
    started_at = models.DateTimeField(_("started"))
    ended_at = models.DateTimeField(_("ended"))
    documents = models.PositiveIntegerField(_("documents"), default=0)
    bytes_stored = models.BigIntegerField(_("bytes stored"), default=0)
    bytes_saved = models.BigIntegerField(_("bytes saved by revisits"), default=0)
    failures = models.PositiveIntegerField(_("failures"), default=0)
    cut_off = models.PositiveIntegerField(_("cut off"), default=0, db_default=0)
    warc_files = ArrayField(models.CharField(max_length=120), verbose_name=_("WARC files"), default=list)
    # From its end until its texts could be found; none: not yet.
    index_seconds = models.FloatField(_("indexed in seconds"), null=True)
    pinned_at = models.DateTimeField(_("pinned"), null=True)
    forgotten_at = models.DateTimeField(_("forgotten"), null=True)
    forgotten_because = models.CharField(_("why"), max_length=300, blank=True)
    forgotten_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("by")
    )

    class Meta:
        verbose_name = _("version")
        verbose_name_plural = _("versions")
        constraints = [models.UniqueConstraint("source", "number", name="version_number")]

    def __str__(self) -> str:
        return f"version {self.number} of {self.source_id}"

    @property
    def seconds(self) -> float:
        return (self.ended_at - self.started_at).total_seconds()


# Models of their own subjects, which Django looks for here.
from ronda.rounds.diff_models import PageDiff as PageDiff  # noqa: E402
from ronda.rounds.diff_models import VersionDiff as VersionDiff  # noqa: E402
from ronda.rounds.look_models import LastLook as LastLook  # noqa: E402
from ronda.rounds.noise_models import Look as Look  # noqa: E402
from ronda.rounds.noise_models import NoiseRule as NoiseRule  # noqa: E402
from ronda.rounds.notification_models import FeedKey as FeedKey  # noqa: E402
from ronda.rounds.notification_models import Notice as Notice  # noqa: E402
from ronda.rounds.notification_models import Subscription as Subscription  # noqa: E402
from ronda.rounds.notification_models import Target as Target  # noqa: E402
from ronda.rounds.prediction_models import Beacon as Beacon  # noqa: E402
from ronda.rounds.prediction_models import PredictorChoice as PredictorChoice  # noqa: E402
from ronda.rounds.prediction_models import Signal as Signal  # noqa: E402
from ronda.rounds.prediction_models import Simulation as Simulation  # noqa: E402
from ronda.rounds.prediction_models import TrackRecord as TrackRecord  # noqa: E402
from ronda.rounds.prediction_models import VisitBudget as VisitBudget  # noqa: E402
from ronda.rounds.removal_models import Removal as Removal  # noqa: E402
from ronda.rounds.score_models import VersionScore as VersionScore  # noqa: E402
