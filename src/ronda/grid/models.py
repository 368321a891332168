"""A node: one lent machine of one contributor."""

from __future__ import annotations

import uuid
from datetime import timedelta

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

# A node asks at least twice in this time; longer silence means it is off.
AWAY_AFTER = timedelta(seconds=60)


class Node(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="nodes", verbose_name=_("contributor")
    )
    name = models.CharField(_("name"), max_length=80)
    version = models.CharField(_("release"), max_length=40)
    system = models.CharField(_("system"), max_length=120)
    registered_at = models.DateTimeField(_("registered"), default=timezone.now, editable=False)
    seen_at = models.DateTimeField(_("last seen"), default=timezone.now)

    class Meta:
        verbose_name = _("node")
        verbose_name_plural = _("nodes")
        constraints = [models.UniqueConstraint("owner", "name", name="node_name_of_owner")]

    def __str__(self) -> str:
        return self.name

    @property
    def is_present(self) -> bool:
        return timezone.now() - self.seen_at < AWAY_AFTER
