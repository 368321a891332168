"""What is left of sources that were deleted together with their versions."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class Removal(models.Model):
    """A source that was deleted together with its versions: the record of who did it, and why."""

    source = models.UUIDField(editable=False)
    url = models.TextField(_("URL"))
    collection = models.ForeignKey(
        "archive.Collection", models.PROTECT, related_name="removals", verbose_name=_("collection")
    )
    versions = models.PositiveIntegerField(_("versions forgotten"), default=0)
    because = models.CharField(_("why"), max_length=300)
    removed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("by")
    )
    removed_at = models.DateTimeField(_("when"), default=timezone.now)

    class Meta:
        verbose_name = _("removed source")
        verbose_name_plural = _("removed sources")

    def __str__(self) -> str:
        return self.url
