import uuid

import django.contrib.postgres.fields
import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("archive", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="FeedKey",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("nonce", models.CharField(max_length=40)),
                ("made_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "person",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="feed_key",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "feed key",
                "verbose_name_plural": "feed keys",
            },
        ),
        migrations.CreateModel(
            name="Removal",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("source", models.UUIDField(editable=False)),
                ("url", models.TextField(verbose_name="URL")),
                ("versions", models.PositiveIntegerField(default=0, verbose_name="versions forgotten")),
                ("because", models.CharField(max_length=300, verbose_name="why")),
                ("removed_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="when")),
                (
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="removals",
                        to="archive.collection",
                        verbose_name="collection",
                    ),
                ),
                (
                    "removed_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="by",
                    ),
                ),
            ],
            options={
                "verbose_name": "removed source",
                "verbose_name_plural": "removed sources",
            },
        ),
        migrations.CreateModel(
            name="Source",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("url", models.TextField(verbose_name="URL")),
                ("title", models.CharField(blank=True, max_length=300, verbose_name="title")),
                ("notes", models.TextField(blank=True, verbose_name="notes")),
                (
                    "tags",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=40),
                        blank=True,
                        default=list,
                        size=None,
                        verbose_name="tags",
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("active", "followed"),
                            ("paused", "paused"),
                            ("ended", "no longer followed"),
                        ],
                        default="active",
                        max_length=6,
                        verbose_name="state",
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now, editable=False, verbose_name="followed since"
                    ),
                ),
                (
                    "scope",
                    models.CharField(
                        choices=[
                            ("page", "this page and what it is made of"),
                            ("prefix", "everything below this address"),
                            ("host", "the whole host"),
                            ("domain", "the domain with all its hosts"),
                        ],
                        default="host",
                        max_length=6,
                        verbose_name="scope",
                    ),
                ),
                ("depth", models.PositiveSmallIntegerField(default=3, verbose_name="links deep")),
                ("max_pages", models.PositiveIntegerField(default=1000, verbose_name="pages at most")),
                ("max_bytes", models.BigIntegerField(default=1073741824, verbose_name="bytes at most")),
                ("max_seconds", models.PositiveIntegerField(default=21600, verbose_name="seconds at most")),
                (
                    "is_for_any_node",
                    models.BooleanField(default=False, verbose_name="also by nodes not yet trusted"),
                ),
                (
                    "every_seconds",
                    models.PositiveIntegerField(blank=True, null=True, verbose_name="seconds between visits"),
                ),
                ("next_visit_at", models.DateTimeField(null=True, verbose_name="next visit")),
                ("next_visit_because", models.CharField(blank=True, max_length=200, verbose_name="why then")),
                ("auto_seconds", models.PositiveIntegerField(default=86400)),
                ("visited_at", models.DateTimeField(null=True, verbose_name="last visit")),
                (
                    "failed_visits",
                    models.PositiveSmallIntegerField(
                        default=0, verbose_name="visits in a row that found it down"
                    ),
                ),
                (
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="sources",
                        to="archive.collection",
                        verbose_name="collection",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="sources",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="owner",
                    ),
                ),
                (
                    "topic",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="sources",
                        to="archive.topic",
                        verbose_name="topic",
                    ),
                ),
            ],
            options={
                "verbose_name": "source",
                "verbose_name_plural": "sources",
            },
        ),
        migrations.CreateModel(
            name="Target",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("mail", "mail"), ("apprise", "Apprise")], max_length=7, verbose_name="kind"
                    ),
                ),
                ("address", models.TextField(blank=True)),
                ("shown", models.CharField(blank=True, max_length=300, verbose_name="address")),
                ("language", models.CharField(default="en", max_length=10, verbose_name="language")),
                (
                    "created_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now, editable=False, verbose_name="added"
                    ),
                ),
                ("sent_at", models.DateTimeField(null=True, verbose_name="last sent")),
                ("failures", models.PositiveSmallIntegerField(default=0, verbose_name="failures in a row")),
                ("last_error", models.CharField(blank=True, max_length=500, verbose_name="why it failed")),
                ("retry_at", models.DateTimeField(null=True, verbose_name="tried again")),
                ("busy_until", models.DateTimeField(null=True)),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="targets",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "target",
                "verbose_name_plural": "targets",
            },
        ),
        migrations.CreateModel(
            name="Subscription",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "rhythm",
                    models.CharField(
                        choices=[("at_once", "at once"), ("daily", "once a day"), ("weekly", "once a week")],
                        default="at_once",
                        max_length=7,
                        verbose_name="when",
                    ),
                ),
                (
                    "hour",
                    models.PositiveSmallIntegerField(
                        default=7,
                        validators=[django.core.validators.MaxValueValidator(23)],
                        verbose_name="hour",
                    ),
                ),
                (
                    "weekday",
                    models.PositiveSmallIntegerField(
                        choices=[
                            (0, "Monday"),
                            (1, "Tuesday"),
                            (2, "Wednesday"),
                            (3, "Thursday"),
                            (4, "Friday"),
                            (5, "Saturday"),
                            (6, "Sunday"),
                        ],
                        default=0,
                        verbose_name="day of the week",
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now, editable=False, verbose_name="added"
                    ),
                ),
                (
                    "collection",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="subscriptions",
                        to="archive.collection",
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="subscriptions",
                        to="rounds.source",
                    ),
                ),
                (
                    "target",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="subscriptions",
                        to="rounds.target",
                    ),
                ),
            ],
            options={
                "verbose_name": "subscription",
                "verbose_name_plural": "subscriptions",
            },
        ),
        migrations.CreateModel(
            name="Version",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("number", models.PositiveIntegerField(verbose_name="number")),
                ("started_at", models.DateTimeField(verbose_name="started")),
                ("ended_at", models.DateTimeField(verbose_name="ended")),
                ("documents", models.PositiveIntegerField(default=0, verbose_name="documents")),
                ("bytes_stored", models.BigIntegerField(default=0, verbose_name="bytes stored")),
                ("bytes_saved", models.BigIntegerField(default=0, verbose_name="bytes saved by revisits")),
                ("failures", models.PositiveIntegerField(default=0, verbose_name="failures")),
                (
                    "warc_files",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=120),
                        default=list,
                        size=None,
                        verbose_name="WARC files",
                    ),
                ),
                ("index_seconds", models.FloatField(null=True, verbose_name="indexed in seconds")),
                ("pinned_at", models.DateTimeField(null=True, verbose_name="pinned")),
                ("forgotten_at", models.DateTimeField(null=True, verbose_name="forgotten")),
                ("forgotten_because", models.CharField(blank=True, max_length=300, verbose_name="why")),
                (
                    "forgotten_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="by",
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="versions",
                        to="rounds.source",
                    ),
                ),
            ],
            options={
                "verbose_name": "version",
                "verbose_name_plural": "versions",
            },
        ),
        migrations.CreateModel(
            name="Notice",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("due_at", models.DateTimeField()),
                ("sent_at", models.DateTimeField(null=True)),
                (
                    "target",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notices",
                        to="rounds.target",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notices",
                        to="rounds.version",
                    ),
                ),
            ],
            options={
                "verbose_name": "notice",
                "verbose_name_plural": "notices",
            },
        ),
        migrations.CreateModel(
            name="VersionDiff",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[("comparing", "being compared"), ("done", "compared")],
                        default="comparing",
                        max_length=9,
                    ),
                ),
                ("asked_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("unchanged", models.PositiveIntegerField(default=0, verbose_name="unchanged")),
                ("added", models.PositiveIntegerField(default=0, verbose_name="added")),
                ("removed", models.PositiveIntegerField(default=0, verbose_name="removed")),
                ("changed", models.PositiveIntegerField(default=0, verbose_name="changed")),
                ("failed", models.PositiveIntegerField(default=0, verbose_name="not seen this time")),
                ("compared", models.PositiveIntegerField(default=0)),
                (
                    "after",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="diffs",
                        to="rounds.version",
                    ),
                ),
                (
                    "before",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="rounds.version",
                    ),
                ),
            ],
            options={
                "verbose_name": "comparison of versions",
                "verbose_name_plural": "comparisons of versions",
            },
        ),
        migrations.CreateModel(
            name="PageDiff",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("url", models.TextField()),
                ("url_digest", models.UUIDField()),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("entry", "entry page"),
                            ("page", "page"),
                            ("requisite", "part of a page"),
                            ("sitemap", "sitemap"),
                            ("feed", "feed"),
                        ],
                        max_length=9,
                    ),
                ),
                (
                    "fate",
                    models.CharField(
                        choices=[
                            ("changed", "changed"),
                            ("added", "added"),
                            ("removed", "removed"),
                            ("failed", "not seen this time"),
                        ],
                        max_length=7,
                    ),
                ),
                ("status_before", models.SmallIntegerField(default=0)),
                ("status_after", models.SmallIntegerField(default=0)),
                ("reason", models.CharField(blank=True, max_length=300)),
                ("share", models.FloatField(null=True)),
                ("counts", models.JSONField(default=dict)),
                (
                    "capture_after",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="archive.capture",
                    ),
                ),
                (
                    "capture_before",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="archive.capture",
                    ),
                ),
                (
                    "diff",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="pages",
                        to="rounds.versiondiff",
                    ),
                ),
            ],
            options={
                "verbose_name": "difference of a page",
                "verbose_name_plural": "differences of pages",
            },
        ),
        migrations.CreateModel(
            name="Visit",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "cause",
                    models.CharField(
                        choices=[
                            ("first", "the first visit"),
                            ("schedule", "it was due"),
                            ("hand", "somebody asked"),
                        ],
                        max_length=8,
                        verbose_name="cause",
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("probing", "looking whether it changed"),
                            ("capturing", "capturing"),
                            ("ended", "ended"),
                        ],
                        default="probing",
                        max_length=9,
                        verbose_name="state",
                    ),
                ),
                (
                    "outcome",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "not yet known"),
                            ("unchanged", "unchanged"),
                            ("captured", "captured"),
                            ("down", "down"),
                            ("refused", "refused by robots.txt"),
                            ("cancelled", "cancelled"),
                        ],
                        max_length=9,
                        verbose_name="outcome",
                    ),
                ),
                ("reason", models.CharField(blank=True, max_length=300, verbose_name="reason")),
                ("opened_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="opened")),
                ("capture_began_at", models.DateTimeField(null=True)),
                ("ended_at", models.DateTimeField(null=True, verbose_name="ended")),
                ("is_to_be_cancelled", models.BooleanField(default=False)),
                ("requests", models.PositiveIntegerField(default=0, verbose_name="requests")),
                ("size_bytes", models.BigIntegerField(default=0, verbose_name="bytes")),
                ("failures", models.PositiveIntegerField(default=0, verbose_name="failures")),
                ("left_out", models.JSONField(default=dict, verbose_name="left out")),
                (
                    "source",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="visits",
                        to="rounds.source",
                    ),
                ),
            ],
            options={
                "verbose_name": "visit",
                "verbose_name_plural": "visits",
            },
        ),
        migrations.AddField(
            model_name="version",
            name="visit",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE, related_name="version", to="rounds.visit"
            ),
        ),
        migrations.CreateModel(
            name="VisitPage",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("url", models.TextField()),
                ("url_digest", models.UUIDField()),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("entry", "entry page"),
                            ("page", "page"),
                            ("requisite", "part of a page"),
                            ("sitemap", "sitemap"),
                            ("feed", "feed"),
                        ],
                        max_length=9,
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "waiting"),
                            ("answered", "answered, links not yet read"),
                            ("done", "captured"),
                            ("failed", "failed"),
                            ("refused", "refused"),
                            ("left", "left out"),
                        ],
                        default="queued",
                        max_length=8,
                    ),
                ),
                ("depth", models.PositiveSmallIntegerField(default=0)),
                ("status", models.SmallIntegerField(default=0)),
                ("reason", models.CharField(blank=True, max_length=300)),
                ("is_unchanged", models.BooleanField(default=False)),
                ("pattern", models.UUIDField(null=True)),
                (
                    "capture",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="archive.capture",
                    ),
                ),
                (
                    "found_on",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="rounds.visitpage",
                    ),
                ),
                (
                    "visit",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="pages",
                        to="rounds.visit",
                    ),
                ),
            ],
            options={
                "verbose_name": "page of a visit",
                "verbose_name_plural": "pages of visits",
            },
        ),
        migrations.AddIndex(
            model_name="source",
            index=models.Index(
                models.F("next_visit_at"), condition=models.Q(("state", "active")), name="source_due"
            ),
        ),
        migrations.AddConstraint(
            model_name="source",
            constraint=models.UniqueConstraint(
                models.F("collection"), models.F("url"), models.F("scope"), name="source_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="target",
            constraint=models.UniqueConstraint(
                models.F("person"), models.F("kind"), models.F("address"), name="target_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="subscription",
            constraint=models.UniqueConstraint(
                models.F("target"),
                models.F("source"),
                models.F("collection"),
                name="subscribed_once",
                nulls_distinct=False,
            ),
        ),
        migrations.AddConstraint(
            model_name="subscription",
            constraint=models.CheckConstraint(
                condition=models.Q(("source", None), ("collection", None), _connector="OR"),
                name="source_or_collection",
            ),
        ),
        migrations.AddIndex(
            model_name="notice",
            index=models.Index(models.F("due_at"), condition=models.Q(("sent_at", None)), name="notice_due"),
        ),
        migrations.AddConstraint(
            model_name="notice",
            constraint=models.UniqueConstraint(models.F("target"), models.F("version"), name="notice_once"),
        ),
        migrations.AddConstraint(
            model_name="versiondiff",
            constraint=models.UniqueConstraint(
                models.F("after"), models.F("before"), name="versions_compared_once", nulls_distinct=False
            ),
        ),
        migrations.AddIndex(
            model_name="pagediff",
            index=models.Index(
                models.F("diff"),
                models.F("fate"),
                models.OrderBy(models.F("share"), descending=True, nulls_last=True),
                name="page_diff_ranked",
            ),
        ),
        migrations.AddConstraint(
            model_name="pagediff",
            constraint=models.UniqueConstraint(
                models.F("diff"), models.F("url_digest"), name="page_diff_once"
            ),
        ),
        migrations.AddIndex(
            model_name="visit",
            index=models.Index(
                models.F("source"),
                models.OrderBy(models.F("opened_at"), descending=True),
                name="visit_of_source",
            ),
        ),
        migrations.AddIndex(
            model_name="visit",
            index=models.Index(
                models.F("state"), condition=models.Q(("state", "ended"), _negated=True), name="visit_open"
            ),
        ),
        migrations.AddConstraint(
            model_name="visit",
            constraint=models.UniqueConstraint(
                models.F("source"),
                condition=models.Q(("state", "ended"), _negated=True),
                name="one_visit_at_a_time",
            ),
        ),
        migrations.AddConstraint(
            model_name="version",
            constraint=models.UniqueConstraint(models.F("source"), models.F("number"), name="version_number"),
        ),
        migrations.AddIndex(
            model_name="visitpage",
            index=models.Index(
                models.F("visit"),
                models.F("state"),
                condition=models.Q(("state__in", ["queued", "answered"])),
                name="visit_pages_open",
            ),
        ),
        migrations.AddConstraint(
            model_name="visitpage",
            constraint=models.UniqueConstraint(
                models.F("visit"), models.F("url_digest"), name="page_once_a_visit"
            ),
        ),
    ]
