"""What is noise on a source's pages, as it was learnt or written down, and the further looks it was learnt from."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from ronda.change.rules import Facet, Rule, RuleKind
from ronda.rounds.models import Source, Visit


class NoiseState(models.TextChoices):
    SUSPECTED = "suspected", _("suspected")
    LEARNT = "learnt", _("learnt")
    HAND = "hand", _("written by hand")
    UNDONE = "undone", _("undone")


# Those that are ignored in comparisons.
IN_FORCE = (NoiseState.LEARNT, NoiseState.HAND)


class NoiseNature(models.TextChoices):
    """What it looks like; the values are those of `ronda.change.learning.NoiseKind`."""

    CLOCK = "clock", _("clock or date")
    NUMBER = "number", _("counter")
    TOKEN = "token", _("token")
    PART = "part", _("part that differs on every look")
    HAND = "hand", _("written by hand")


class NoiseKindOfRule(models.TextChoices):
    SELECTOR = RuleKind.SELECTOR.value, _("elements, by CSS selector")
    NUMBERS = RuleKind.NUMBERS.value, _("numbers in elements")
    FIELD = RuleKind.FIELD.value, _("field of links")
    PATTERN = RuleKind.PATTERN.value, _("text, by regular expression")


class NoiseRule(models.Model):
    """Something that says nothing. `examples`: pairs of what stood there on two looks."""

    source = models.ForeignKey(Source, models.CASCADE, related_name="noise", db_index=False)
    kind = models.CharField(_("kind"), max_length=8, choices=NoiseKindOfRule.choices)
    where = models.CharField(_("where"), max_length=500)
    facet = models.CharField(max_length=4, default=Facet.TEXT.value)
    nature = models.CharField(_("looks like"), max_length=6, choices=NoiseNature.choices)
    state = models.CharField(_("state"), max_length=9, choices=NoiseState.choices)
    # On how many pairs of looks within seconds it differed.
    times_at_once = models.PositiveIntegerField(_("differed within seconds"), default=0)
    # What stood there on visits that found nothing else changed, the newest last.
    values_alone = models.JSONField(default=list)
    examples = models.JSONField(_("examples"), default=list)
    found_at = models.DateTimeField(_("first seen"), default=timezone.now)
    since = models.DateTimeField(_("ignored since"), null=True)
    used_at = models.DateTimeField(_("last met"), null=True)
    visits = models.PositiveIntegerField(_("visits that met it"), default=0)
    is_too_slow = models.BooleanField(_("takes too long"), default=False)
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("by")
    )

    class Meta:
        verbose_name = _("noise")
        verbose_name_plural = pgettext_lazy("parts of pages", "noise")
        constraints = [
            models.UniqueConstraint("source", "kind", "where", "facet", name="noise_once"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.where}"

    @property
    def is_in_force(self) -> bool:
        return self.state in IN_FORCE

    @property
    def rule(self) -> Rule:
        return Rule(RuleKind(self.kind), self.where, Facet(self.facet))


class Look(models.Model):
    """A page of a visit that was asked for once more within seconds; `capture` is what it was before."""

    visit = models.ForeignKey(Visit, models.CASCADE, related_name="looks")
    number = models.PositiveSmallIntegerField()
    url = models.TextField()
    url_digest = models.UUIDField()
    capture = models.ForeignKey(
        "archive.Capture", models.SET_NULL, null=True, db_index=False, related_name="+"
    )
    status = models.SmallIntegerField(default=0)
    is_compared = models.BooleanField(default=False)

    class Meta:
        verbose_name = _("further look")
        verbose_name_plural = _("further looks")
        constraints = [models.UniqueConstraint("visit", "url_digest", "number", name="look_once")]

    def __str__(self) -> str:
        return f"look {self.number} at {self.url}"
