import uuid

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Job",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("kind", models.CharField(max_length=80, verbose_name="kind")),
                ("arguments", models.JSONField(default=dict, verbose_name="arguments")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("running", "Running"),
                            ("succeeded", "Succeeded"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="queued",
                        max_length=10,
                        verbose_name="state",
                    ),
                ),
                ("done", models.BigIntegerField(default=0, verbose_name="done")),
                ("total", models.BigIntegerField(null=True, verbose_name="total")),
                ("sentence", models.CharField(blank=True, max_length=300, verbose_name="progress")),
                ("checkpoint", models.JSONField(null=True)),
                ("result", models.JSONField(null=True, verbose_name="result")),
                ("error", models.TextField(blank=True, verbose_name="error")),
                ("attempt", models.IntegerField(default=0, verbose_name="attempt")),
                ("losses", models.IntegerField(default=0, verbose_name="workers lost")),
                ("worker", models.CharField(blank=True, max_length=120, verbose_name="worker")),
                ("queue_id", models.BigIntegerField(editable=False, null=True)),
                ("beat_at", models.DateTimeField(editable=False, null=True)),
                (
                    "created_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now, editable=False, verbose_name="created"
                    ),
                ),
                ("started_at", models.DateTimeField(null=True, verbose_name="started")),
                ("ended_at", models.DateTimeField(null=True, verbose_name="ended")),
                ("cancel_requested_at", models.DateTimeField(null=True)),
                (
                    "owner",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="jobs",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="owner",
                    ),
                ),
            ],
            options={
                "verbose_name": "job",
                "verbose_name_plural": "jobs",
                "indexes": [
                    models.Index(
                        models.F("owner"),
                        models.OrderBy(models.F("created_at"), descending=True),
                        name="job_of_owner",
                    ),
                    models.Index(models.OrderBy(models.F("created_at"), descending=True), name="job_newest"),
                    models.Index(
                        models.F("state"),
                        condition=models.Q(("state__in", ["queued", "running"])),
                        name="job_open",
                    ),
                ],
            },
        ),
    ]
