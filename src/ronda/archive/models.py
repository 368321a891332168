"""WARC files, the captures in them, the collections they stand in, their texts, and what people look for."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
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


class Collection(models.Model):
    """What belongs together, and who may see it: everybody who may read, or its people."""

    slug = models.SlugField(_("short name"), max_length=60, unique=True)
    name = models.CharField(_("name"), max_length=120, unique=True)
    description = models.TextField(_("description"), blank=True)
    is_public = models.BooleanField(_("for everybody"), default=True)
    people = models.ManyToManyField(
        settings.AUTH_USER_MODEL, related_name="collections", verbose_name=_("people"), blank=True
    )
    created_at = models.DateTimeField(_("created"), default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("collection")
        verbose_name_plural = _("collections")

    def __str__(self) -> str:
        return self.name


class Topic(models.Model):
    """What a source is about, by its code."""

    code = models.PositiveSmallIntegerField(_("code"), primary_key=True)
    name = models.CharField(_("name"), max_length=120, unique=True)

    class Meta:
        verbose_name = _("topic")
        verbose_name_plural = _("topics")

    def __str__(self) -> str:
        return f"{self.code} {self.name}"


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
    """One archived HTTP exchange: its response (or revisit) and request records stand side by side in the file."""

    url = models.TextField(_("URL"))
    url_digest = models.UUIDField()
    # The URL as indexes of archives sort it (SURT): com,example)/path. Empty for what no one looks up by URL.
    urlkey = models.TextField(db_collation="C", blank=True, db_default="")
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
    # What was received behind the HTTP header, before it was packed; none of a revisit's own.
    payload_bytes = models.BigIntegerField(_("size"), default=0, db_default=0)
    # A revisit record: the payload is that of this older capture.
    refers_to = models.ForeignKey("self", models.PROTECT, null=True, db_index=False, related_name="+")
    # What it was kept for. Without a collection it is a client's own, and not to be found by others.
    collection = models.ForeignKey(Collection, models.PROTECT, null=True, db_index=False)
    source = models.UUIDField(null=True)
    visit = models.BigIntegerField(null=True)
    # Its text is still to be read into the search.
    is_text_due = models.BooleanField(db_default=False)
    # Whose work it is. No foreign keys: nodes and people are above the archive, and come and go.
    node = models.UUIDField(null=True)
    owner = models.BigIntegerField(null=True)
    voided_at = models.DateTimeField(_("found to be wrong"), null=True)
    forgotten_at = models.DateTimeField(_("forgotten"), null=True)

    class Meta:
        verbose_name = _("capture")
        verbose_name_plural = _("captures")
        constraints = [models.UniqueConstraint("file", "offset", name="capture_once")]
        indexes = [
            models.Index("url_digest", models.F("fetched_at").desc(), name="capture_of_url"),
            models.Index(AUTHORITY, models.F("id").desc(), name="capture_of_host"),
            models.Index(
                "urlkey", "fetched_at", name="capture_of_key", condition=models.Q(collection__isnull=False)
            ),
            models.Index(
                "digest", "fetched_at", name="capture_of_digest", condition=models.Q(collection__isnull=False)
            ),
            models.Index("id", name="capture_text_due", condition=models.Q(is_text_due=True)),
            models.Index("visit", name="capture_of_visit", condition=models.Q(visit__isnull=False)),
            models.Index(
                "source", "digest", name="capture_of_source", condition=models.Q(source__isnull=False)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.url} at {self.fetched_at:%F %T}"

    @property
    def is_imported(self) -> bool:
        """It came as a file, from `owner`: nobody here fetched it, and nobody knows it is what the web said."""
        return self.node is None

    @property
    def holder(self) -> Capture:
        """The capture that has its payload: of its own source or collection. Whatever the index says, payloads never
        cross a collection's border."""
        target = self.refers_to
        if target is None:
            return self
        is_of_source = self.source is not None and target.source == self.source
        return target if is_of_source or target.collection_id == self.collection_id else self

    @property
    def page_bytes(self) -> int:
        """How large it was when it came, also if an older capture holds it."""
        return (self.refers_to or self).payload_bytes

    @property
    def is_cut_short(self) -> bool:
        """Where it ends, another time it would not: of what is too long, the beginning is always the same."""
        return self.truncated not in ("", "length")


class Dictionary(models.TextChoices):
    """How words of a text are brought to their stems: PostgreSQL's names."""

    SPANISH = "spanish", _("Spanish")
    ENGLISH = "english", _("English")
    SIMPLE = "simple", _("other languages")


class Text(models.Model):
    """What a payload says, once however many captures have it. Newer ones have larger ids."""

    digest = models.CharField(max_length=80, unique=True)
    title = models.CharField(_("title"), max_length=300)
    text = models.TextField(_("text"))
    # Two letters, as detected; empty: too short to tell.
    language = models.CharField(_("language"), max_length=8, blank=True)
    dictionary = models.CharField(max_length=8, choices=Dictionary.choices)
    words = SearchVectorField()

    class Meta:
        verbose_name = _("text")
        verbose_name_plural = _("texts")
        indexes = [GinIndex("words", name="text_of_words")]

    def __str__(self) -> str:
        return self.title or self.digest


class Forgetting(models.Model):
    """Imported captures that somebody had forgotten: the record of who, when and why."""

    url = models.TextField(_("URL or pattern"))
    collection = models.ForeignKey(
        Collection, models.PROTECT, related_name="forgettings", verbose_name=_("collection")
    )
    captures = models.PositiveIntegerField(_("captures"))
    because = models.CharField(_("why"), max_length=300)
    forgotten_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("by")
    )
    forgotten_at = models.DateTimeField(_("when"), default=timezone.now)

    class Meta:
        verbose_name = _("forgotten import")
        verbose_name_plural = _("forgotten imports")

    def __str__(self) -> str:
        return self.url


class PastSearch(models.Model):
    """What a person looked for, for nobody else to see: the newest time of each."""

    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="past_searches", db_index=False
    )
    # The query string of the search page: words and filters.
    query = models.CharField(max_length=2000)
    searched_at = models.DateTimeField(_("searched"), default=timezone.now)

    class Meta:
        verbose_name = _("past search")
        verbose_name_plural = _("past searches")
        constraints = [models.UniqueConstraint("person", "query", name="past_search_once")]
        indexes = [models.Index("person", models.F("searched_at").desc(), name="past_search_newest")]

    def __str__(self) -> str:
        return self.query


class FavouriteKind(models.TextChoices):
    SOURCE = "source", _("source")
    VERSION = "version", _("version")
    CAPTURE = "capture", _("capture")


class Favourite(models.Model):
    """A person's star on something. Sources and versions are of rooms above: only their ids are known here."""

    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="favourites", db_index=False
    )
    kind = models.CharField(_("kind"), max_length=7, choices=FavouriteKind.choices)
    key = models.CharField(max_length=36)
    starred_at = models.DateTimeField(_("starred"), default=timezone.now)

    class Meta:
        verbose_name = _("favourite")
        verbose_name_plural = _("favourites")
        constraints = [models.UniqueConstraint("person", "kind", "key", name="favourite_once")]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"


class SpentTicket(models.Model):
    """A ticket of the replay that was exchanged for a pass lately, by its mark: it opens nothing more."""

    mark = models.CharField(max_length=32, primary_key=True)
    spent_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("spent ticket")
        verbose_name_plural = _("spent tickets")

    def __str__(self) -> str:
        return self.mark


class EndedSession(models.Model):
    """A session of the console that ended lately, by its mark: passes of the replay given out in it open nothing."""

    mark = models.CharField(max_length=32, primary_key=True)
    ended_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("ended session")
        verbose_name_plural = _("ended sessions")

    def __str__(self) -> str:
        return self.mark
