"""Every change of a policy is a row that stays; the newest row of a name is its value."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class Change(models.Model):
    """What a record of somebody's change holds, whatever was changed."""

    value = models.TextField(_("value"))
    former = models.TextField(_("before"))
    note = models.CharField(_("reason"), max_length=200, blank=True)
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("changed by")
    )
    changed_at = models.DateTimeField(_("changed"), default=timezone.now, editable=False)

    class Meta:
        abstract = True


class PolicyChange(Change):
    name = models.CharField(_("setting"), max_length=80)

    class Meta:
        verbose_name = _("change of a setting")
        verbose_name_plural = _("changes of settings")
        ordering = ["-id"]
        indexes = [models.Index("name", models.F("id").desc(), name="policy_newest")]

    def __str__(self) -> str:
        return f"{self.name}: {self.former} → {self.value}"
