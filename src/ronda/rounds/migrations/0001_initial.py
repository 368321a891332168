import uuid

import django.contrib.postgres.fields
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
                (
                    "visit",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="version", to="rounds.visit"
                    ),
                ),
            ],
            options={
                "verbose_name": "version",
                "verbose_name_plural": "versions",
            },
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
