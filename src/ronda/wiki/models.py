"""Wikis and the articles that are kept of them. Their revisions are in the lake (see tables.py)."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class Wiki(models.Model):
    """One MediaWiki, by the address of its API."""

    # What the lake calls it: its host, and more only where a host has several wikis (en.wikipedia.org).
    key = models.CharField(_("wiki"), max_length=200, unique=True)
    api = models.TextField(_("API address"), unique=True)
    name = models.CharField(_("name"), max_length=200, blank=True)
    # Of its content, as the wiki says.
    locale = models.CharField(_("language"), max_length=20, blank=True)
    generator = models.CharField(_("software"), max_length=80, blank=True)
    created_at = models.DateTimeField(_("known since"), default=timezone.now, editable=False)
    # Up to when its list of recent changes was read.
    changes_read_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        verbose_name = _("wiki")
        verbose_name_plural = _("wikis")

    def __str__(self) -> str:
        return self.name or self.key


class Gate(models.Model):
    """When wikis that count their questions together may be asked next."""

    name = models.CharField(max_length=40, primary_key=True)
    free_at = models.DateTimeField()

    class Meta:
        verbose_name = _("gate")
        verbose_name_plural = _("gates")

    def __str__(self) -> str:
        return self.name


class Completeness(models.TextChoices):
    """What is known of a history: whether all of it is here."""

    UNKNOWN = "unknown", _("not extracted yet")
    PARTIAL = "partial", _("being extracted")
    PROVED = "proved", _("complete: as many as the wiki counts, every parent is here")
    LINKED = "linked", _("every parent is here; the wiki gives no count to compare with")
    GAPS = "gaps", _("has gaps")
    MISSING = "missing", _("the wiki has no such page any more")


class Article(models.Model):
    """A page of a wiki whose history is kept. It follows the page's id through moves."""

    wiki = models.ForeignKey(Wiki, models.PROTECT, related_name="articles", verbose_name=_("wiki"))
    pageid = models.BigIntegerField(_("page"))
    ns = models.IntegerField(_("namespace"), default=0)
    title = models.CharField(_("title"), max_length=300)
    locale = models.CharField(_("language"), max_length=20, blank=True)
    first_extraction_date = models.DateTimeField(_("first extracted"), null=True)
    last_extraction_date = models.DateTimeField(_("last extracted"), null=True)
    last_revision = models.BigIntegerField(_("last revision"), null=True)
    last_revision_at = models.DateTimeField(_("last edited"), null=True)

    # What is stored, and what the wiki itself counts; none: it does not say.
    revisions = models.BigIntegerField(_("revisions"), default=0)
    hidden_revisions = models.BigIntegerField(_("hidden revisions"), default=0)
    counted_revisions = models.BigIntegerField(_("revisions the wiki counts"), null=True)
    has_texts = models.BooleanField(_("with texts"), default=True)
    completeness = models.CharField(
        _("completeness"), max_length=8, choices=Completeness.choices, default=Completeness.UNKNOWN
    )
    # Parents that are named and not here, the first of them.
    gaps = ArrayField(models.BigIntegerField(), verbose_name=_("gaps"), default=list, blank=True)
    # Parents that the wiki itself does not have any more, and revisions it had once: nothing to heal there.
    absent_parents = ArrayField(models.BigIntegerField(), default=list, blank=True)
    # What the wiki counted more than it listed, when its whole list was last read: its counts are cached, and may err.
    count_error = models.BigIntegerField(default=0)
    gone_revisions = models.BigIntegerField(_("revisions the wiki deleted since"), default=0)
    checked_at = models.DateTimeField(_("checked"), null=True)
    created_at = models.DateTimeField(_("followed since"), default=timezone.now, editable=False)
    # What the rounds visit, while it is followed.
    source = models.OneToOneField(
        "rounds.Source", models.SET_NULL, null=True, related_name="article", verbose_name=_("source")
    )

    class Meta:
        verbose_name = _("article")
        verbose_name_plural = _("articles")
        constraints = [models.UniqueConstraint("wiki", "pageid", name="article_once")]
        indexes = [models.Index("title", name="article_title")]

    def __str__(self) -> str:
        return self.title
