"""What changed between two versions of a source, as it was found once and is kept."""

from __future__ import annotations

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from ronda.rounds.models import PageRole, Version


class DiffState(models.TextChoices):
    COMPARING = "comparing", _("being compared")
    DONE = "done", _("compared")


class VersionDiff(models.Model):
    """Two versions compared. Without `before`: the first version, everything in it is new."""

    before = models.ForeignKey(Version, models.CASCADE, null=True, related_name="+")
    after = models.ForeignKey(Version, models.CASCADE, related_name="diffs", db_index=False)
    state = models.CharField(max_length=9, choices=DiffState.choices, default=DiffState.COMPARING)
    asked_at = models.DateTimeField(default=timezone.now)
    # Of documents: pages and what they are made of.
    unchanged = models.PositiveIntegerField(_("unchanged"), default=0)
    added = models.PositiveIntegerField(_("added"), default=0)
    removed = models.PositiveIntegerField(_("removed"), default=0)
    changed = models.PositiveIntegerField(_("changed"), default=0)
    failed = models.PositiveIntegerField(_("not seen this time"), default=0)
    # There now, and left out or not answered before: whether it is new, nobody knows.
    missed = models.PositiveIntegerField(_("not captured before"), default=0, db_default=0)
    # How many of the changed ones were read and compared so far.
    compared = models.PositiveIntegerField(default=0)

    class Meta:
        verbose_name = _("comparison of versions")
        verbose_name_plural = _("comparisons of versions")
        constraints = [
            models.UniqueConstraint("after", "before", name="versions_compared_once", nulls_distinct=False)
        ]

    def __str__(self) -> str:
        return f"{self.before_id} → {self.after_id}"

    @property
    def is_done(self) -> bool:
        return self.state == DiffState.DONE

    @property
    def documents(self) -> int:
        return self.unchanged + self.added + self.removed + self.changed + self.failed + self.missed


class PageFate(models.TextChoices):
    CHANGED = "changed", pgettext_lazy("a page", "changed")
    ADDED = "added", pgettext_lazy("a page", "added")
    REMOVED = "removed", pgettext_lazy("a page", "removed")
    FAILED = "failed", pgettext_lazy("a page", "not seen this time")
    MISSED = "missed", pgettext_lazy("a page", "not captured before")


class PageDiff(models.Model):
    """A URL that is not the same in both versions. `share`: how much of it changed; none: not compared."""

    diff = models.ForeignKey(VersionDiff, models.CASCADE, related_name="pages", db_index=False)
    url = models.TextField()
    url_digest = models.UUIDField()
    role = models.CharField(max_length=9, choices=PageRole.choices)
    fate = models.CharField(max_length=7, choices=PageFate.choices)
    status_before = models.SmallIntegerField(default=0)
    status_after = models.SmallIntegerField(default=0)
    reason = models.CharField(max_length=300, blank=True)
    capture_before = models.ForeignKey(
        "archive.Capture", models.SET_NULL, null=True, db_index=False, related_name="+"
    )
    capture_after = models.ForeignKey(
        "archive.Capture", models.SET_NULL, null=True, db_index=False, related_name="+"
    )
    share = models.FloatField(null=True)
    counts = models.JSONField(default=dict)
    # From 0 to 1; none: not scored. A score of 0 is noise: other bytes that nobody could tell.
    view = models.FloatField(_("view"), null=True)
    form = models.FloatField(_("form"), null=True)
    content = models.FloatField(_("content"), null=True)
    score = models.FloatField(_("score"), null=True)
    # What drove it (`ronda.change.scoring.Component` → 0 to 1), and where the page was touched.
    components = models.JSONField(default=dict)
    places = models.JSONField(default=list)
    nature = models.CharField(max_length=4, blank=True)
    # What a reader saw before and after, as fingerprints: equal ones are a return.
    state_before = models.UUIDField(null=True)
    state_after = models.UUIDField(null=True)

    class Meta:
        verbose_name = _("difference of a page")
        verbose_name_plural = _("differences of pages")
        constraints = [models.UniqueConstraint("diff", "url_digest", name="page_diff_once")]
        indexes = [
            models.Index("diff", "fate", models.F("share").desc(nulls_last=True), name="page_diff_ranked")
        ]

    def __str__(self) -> str:
        return f"{self.url}: {self.fate}"
