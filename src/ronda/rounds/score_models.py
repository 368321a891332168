"""How much a version differs from the one before it, and whether that matters."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from ronda.rounds.models import Version


class VersionScore(models.Model):
    """Scores from 0 to 1, each the highest of any page. `drivers`: the pages that count most, with what did.

    Three events apart: `pages_bytes` whose bytes changed, `pages_meaning` in which a reader could tell, and whether
    the whole is important."""

    version = models.OneToOneField(Version, models.CASCADE, primary_key=True, related_name="weight")
    view = models.FloatField(_("view"), default=0)
    form = models.FloatField(_("form"), default=0)
    content = models.FloatField(_("content"), default=0)
    score = models.FloatField(_("score"), default=0)
    threshold = models.FloatField(_("threshold"), default=0)
    is_important = models.BooleanField(_("important"), default=True)
    pages_bytes = models.PositiveIntegerField(_("pages with other bytes"), default=0)
    pages_meaning = models.PositiveIntegerField(_("pages that read or look different"), default=0)
    # Every page that changed is again as it was in this one.
    returns_to = models.ForeignKey(
        Version, models.SET_NULL, null=True, related_name="+", verbose_name=_("as it was in")
    )
    # The same part changed on so many pages; 0: no mass change.
    mass_pages = models.PositiveIntegerField(_("pages changed alike"), default=0)
    mass_part = models.CharField(_("the part they share"), max_length=600, blank=True)
    drivers = models.JSONField(default=list)

    class Meta:
        verbose_name = _("score of a version")
        verbose_name_plural = _("scores of versions")

    def __str__(self) -> str:
        return f"{self.version}: {self.score:.3f}"

    @property
    def is_return(self) -> bool:
        return self.returns_to_id is not None

    @property
    def is_mass(self) -> bool:
        return self.mass_pages > 0
