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
        ("frontier", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Fetch",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("refused", models.BigIntegerField(default=0, verbose_name="URLs refused at once")),
                (
                    "vantage",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=2),
                        default=list,
                        size=None,
                        verbose_name="countries",
                    ),
                ),
                ("is_to_be_compared", models.BooleanField(default=False)),
                (
                    "created_at",
                    models.DateTimeField(default=django.utils.timezone.now, verbose_name="created"),
                ),
                (
                    "batch",
                    models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, to="frontier.batch"),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="fetches",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "fetch",
                "verbose_name_plural": "fetches",
            },
        ),
        migrations.CreateModel(
            name="Comparison",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("url", models.TextField()),
                ("outcome", models.CharField(max_length=12)),
                ("rung", models.CharField(max_length=8)),
                ("similarity", models.FloatField(null=True)),
                (
                    "fetch",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="comparisons",
                        to="grid.fetch",
                    ),
                ),
            ],
            options={
                "verbose_name": "comparison",
                "verbose_name_plural": "comparisons",
            },
        ),
        migrations.CreateModel(
            name="MinuteCount",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "minute",
                        "node_id",
                        "outcome",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("minute", models.DateTimeField()),
                ("node_id", models.UUIDField()),
                ("outcome", models.CharField(max_length=24)),
                ("urls", models.IntegerField()),
                ("size_bytes", models.BigIntegerField()),
            ],
            options={
                "verbose_name": "count of a minute",
                "verbose_name_plural": "counts of minutes",
                "indexes": [models.Index(models.F("node_id"), models.F("minute"), name="minutes_of_node")],
            },
        ),
        migrations.CreateModel(
            name="Node",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("name", models.CharField(max_length=80, verbose_name="name")),
                ("version", models.CharField(max_length=40, verbose_name="release")),
                ("system", models.CharField(max_length=120, verbose_name="system")),
                (
                    "registered_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now, editable=False, verbose_name="registered"
                    ),
                ),
                (
                    "seen_at",
                    models.DateTimeField(default=django.utils.timezone.now, verbose_name="last seen"),
                ),
                ("answered", models.BigIntegerField(default=0, verbose_name="URLs answered")),
                ("country", models.CharField(blank=True, max_length=2, verbose_name="country")),
                (
                    "rate_urls_per_second",
                    models.FloatField(null=True, verbose_name="measured URLs per second"),
                ),
                ("answered_at", models.DateTimeField(null=True, verbose_name="last answer")),
                ("slots", models.SmallIntegerField(default=0, verbose_name="hosts asked at a time")),
                ("pending", models.IntegerField(default=0, verbose_name="URLs in hand")),
                ("urls_per_second", models.FloatField(default=0.0, verbose_name="URLs per second")),
                ("doing", models.CharField(blank=True, max_length=200, verbose_name="doing")),
                (
                    "resting_because",
                    models.CharField(blank=True, max_length=200, verbose_name="rests because"),
                ),
                ("paused_at", models.DateTimeField(null=True, verbose_name="paused")),
                ("removed_at", models.DateTimeField(null=True, verbose_name="removed")),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="nodes",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="contributor",
                    ),
                ),
            ],
            options={
                "verbose_name": "node",
                "verbose_name_plural": "nodes",
            },
        ),
        migrations.CreateModel(
            name="FetchAnswer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("url", models.TextField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("fetched", "fetched"),
                            ("failed", "failed"),
                            ("refused", "refused"),
                            ("cancelled", "cancelled"),
                            ("void", "void"),
                        ],
                        max_length=9,
                    ),
                ),
                ("status", models.SmallIntegerField(default=0)),
                ("reason", models.CharField(blank=True, max_length=300)),
                ("country", models.CharField(blank=True, max_length=2, verbose_name="country")),
                ("doubt", models.CharField(blank=True, db_default="", max_length=200)),
                ("answered_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "capture",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to="archive.capture",
                    ),
                ),
                (
                    "fetch",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="answers",
                        to="grid.fetch",
                    ),
                ),
                (
                    "voids",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="grid.fetchanswer",
                    ),
                ),
                (
                    "node",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to="grid.node",
                    ),
                ),
            ],
            options={
                "verbose_name": "answer",
                "verbose_name_plural": "answers",
            },
        ),
        migrations.AddIndex(
            model_name="fetch",
            index=models.Index(
                models.F("created_at"),
                condition=models.Q(("is_to_be_compared", True)),
                name="fetch_to_compare",
            ),
        ),
        migrations.AddConstraint(
            model_name="comparison",
            constraint=models.UniqueConstraint(models.F("fetch"), models.F("url"), name="compared_once"),
        ),
        migrations.AddConstraint(
            model_name="node",
            constraint=models.UniqueConstraint(
                models.F("owner"), models.F("name"), name="node_name_of_owner"
            ),
        ),
        migrations.AddIndex(
            model_name="fetchanswer",
            index=models.Index(models.F("fetch"), models.F("id"), name="answer_of_fetch"),
        ),
    ]
