"""Up to which version people know a source."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from ronda.rounds.models import Source


class LastLook(models.Model):
    """The newest version of a source a person looked at, by its number: that stays when the version is forgotten."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", db_index=False)
    source = models.ForeignKey(Source, models.CASCADE, related_name="+")
    number = models.PositiveIntegerField(_("version"))
    looked_at = models.DateTimeField(_("looked at"), default=timezone.now)

    class Meta:
        verbose_name = _("last look")
        verbose_name_plural = _("last looks")
        constraints = [models.UniqueConstraint("person", "source", name="last_look_once")]

    def __str__(self) -> str:
        return f"{self.person_id} knows version {self.number} of {self.source_id}"
