"""WARC files and the captures in them."""

from __future__ import annotations

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

# The host of a canonical URL: what stands between the second and the third slash.
AUTHORITY = models.Func(
    models.F("url"),
    models.Value("/"),
    models.Value(3),
    function="split_part",
    output_field=models.TextField(),
)


class WarcFile(models.Model):
    """A file of the archive. What lies behind `size_bytes` was never acknowledged, and is cut off at the next start."""

    name = models.CharField(_("file"), max_length=120, unique=True)
    machine = models.CharField(_("machine"), max_length=255)
    size_bytes = models.BigIntegerField(_("size"), default=0)
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    closed_at = models.DateTimeField(_("closed"), null=True)

    class Meta:
        verbose_name = _("WARC file")
        verbose_name_plural = _("WARC files")

    def __str__(self) -> str:
        return self.name


class Capture(models.Model):
    """One archived HTTP exchange: its response and request records stand side by side in the file."""

    url = models.TextField(_("URL"))
    url_digest = models.UUIDField()
    fetched_at = models.DateTimeField(_("fetched"))
    status = models.SmallIntegerField(_("status"))
    mime = models.CharField(_("type"), max_length=100, blank=True)
    digest = models.CharField(_("digest"), max_length=80)
    address = models.CharField(_("address"), max_length=45, blank=True)
    truncated = models.CharField(_("cut off by"), max_length=12, blank=True)
    # Where the response record begins, and how far it and its request record reach.
    file = models.ForeignKey(WarcFile, models.PROTECT, db_index=False)
    offset = models.BigIntegerField()
    length = models.BigIntegerField()
    response_length = models.BigIntegerField()
    # Whose work it is. No foreign keys: nodes and people are above the archive, and come and go.
    node = models.UUIDField(null=True)
    owner = models.BigIntegerField(null=True)
    voided_at = models.DateTimeField(_("found to be wrong"), null=True)

    class Meta:
        verbose_name = _("capture")
        verbose_name_plural = _("captures")
        indexes = [
            models.Index("url_digest", models.F("fetched_at").desc(), name="capture_of_url"),
            models.Index(AUTHORITY, models.F("id").desc(), name="capture_of_host"),
        ]

    def __str__(self) -> str:
        return f"{self.url} at {self.fetched_at:%F %T}"
