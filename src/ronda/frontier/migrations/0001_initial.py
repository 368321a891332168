import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.comparison
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="IpGroup",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("address", models.CharField(max_length=45, unique=True, verbose_name="address")),
                ("ready_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("holders", models.SmallIntegerField(default=0)),
            ],
            options={
                "verbose_name": "group of hosts",
                "verbose_name_plural": "groups of hosts",
            },
        ),
        migrations.CreateModel(
            name="Seen",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "batch_id", "digest", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("batch_id", models.BigIntegerField()),
                ("digest", models.UUIDField()),
            ],
        ),
        migrations.CreateModel(
            name="Batch",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("purpose", models.CharField(max_length=20)),
                ("owner", models.CharField(max_length=80)),
                ("priority", models.SmallIntegerField(default=0)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("total", models.BigIntegerField(default=0)),
                ("ended", models.BigIntegerField(default=0)),
                ("is_cancelled", models.BooleanField(default=False)),
            ],
            options={
                "verbose_name": "batch",
                "verbose_name_plural": "batches",
                "constraints": [
                    models.UniqueConstraint(models.F("purpose"), models.F("owner"), name="batch_of_owner")
                ],
            },
        ),
        migrations.CreateModel(
            name="Host",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=262, verbose_name="host")),
                ("scheme", models.CharField(default="https", max_length=5)),
                ("address", models.CharField(blank=True, max_length=45, verbose_name="address")),
                ("country", models.CharField(blank=True, max_length=2, verbose_name="country")),
                (
                    "ready_at",
                    models.DateTimeField(default=django.utils.timezone.now, verbose_name="free from"),
                ),
                ("backoff_until", models.DateTimeField(null=True, verbose_name="rests until")),
                (
                    "backoff_count",
                    models.SmallIntegerField(default=0, verbose_name="times in a row it asked for rest"),
                ),
                ("backoff_at", models.DateTimeField(null=True)),
                (
                    "due_at",
                    models.GeneratedField(
                        db_persist=True,
                        expression=django.db.models.functions.comparison.Greatest(
                            "ready_at", "backoff_until"
                        ),
                        output_field=models.DateTimeField(),
                    ),
                ),
                ("holders", models.SmallIntegerField(default=0, verbose_name="nodes that hold it")),
                ("max_nodes", models.SmallIntegerField(default=1, verbose_name="nodes at a time")),
                (
                    "is_delay_per_node",
                    models.BooleanField(default=False, verbose_name="delay counts per node"),
                ),
                ("queued", models.IntegerField(default=0, verbose_name="queued")),
                ("has_work", models.BooleanField(default=False)),
                ("delay_seconds", models.FloatField(blank=True, null=True, verbose_name="delay set by hand")),
                ("crawl_delay_seconds", models.FloatField(null=True, verbose_name="Crawl-delay")),
                ("latency_seconds", models.FloatField(null=True, verbose_name="last latency")),
                (
                    "robots_state",
                    models.CharField(
                        choices=[
                            ("unknown", "not asked yet"),
                            ("rules", "has rules"),
                            ("absent", "none: all is allowed"),
                            ("unreachable", "not to be had: nothing is allowed"),
                        ],
                        default="unknown",
                        max_length=11,
                        verbose_name="robots.txt",
                    ),
                ),
                ("robots_text", models.TextField(blank=True)),
                ("robots_expires_at", models.DateTimeField(null=True)),
                (
                    "blocked_reason",
                    models.CharField(blank=True, max_length=200, verbose_name="not fetched because"),
                ),
                (
                    "ip_group",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="hosts",
                        to="frontier.ipgroup",
                    ),
                ),
            ],
            options={
                "verbose_name": "host",
                "verbose_name_plural": "hosts",
            },
        ),
        migrations.CreateModel(
            name="Lease",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("block", models.UUIDField()),
                ("node", models.UUIDField()),
                (
                    "request_ids",
                    django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None),
                ),
                ("is_robots", models.BooleanField(default=False)),
                ("is_over", models.BooleanField(default=False)),
                ("granted_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                (
                    "host",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        to="frontier.host",
                    ),
                ),
            ],
            options={
                "verbose_name": "lease",
                "verbose_name_plural": "leases",
            },
        ),
        migrations.CreateModel(
            name="Request",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("url", models.TextField()),
                ("priority", models.SmallIntegerField()),
                ("not_before", models.DateTimeField()),
                ("attempts", models.SmallIntegerField(default=0)),
                ("copy", models.CharField(default="", max_length=40)),
                ("country", models.CharField(default="", max_length=2)),
                (
                    "not_owners",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), null=True, size=None
                    ),
                ),
                (
                    "batch",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        to="frontier.batch",
                    ),
                ),
                (
                    "host",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        to="frontier.host",
                    ),
                ),
            ],
            options={
                "verbose_name": "request",
                "verbose_name_plural": "requests",
            },
        ),
        migrations.AddIndex(
            model_name="host",
            index=models.Index(
                models.F("due_at"),
                condition=models.Q(("blocked_reason", ""), ("has_work", True)),
                name="host_heap",
            ),
        ),
        migrations.AddIndex(
            model_name="host",
            index=models.Index(
                models.F("address"), condition=models.Q(("address", ""), _negated=True), name="host_address"
            ),
        ),
        migrations.AddConstraint(
            model_name="host",
            constraint=models.UniqueConstraint(models.F("name"), name="host_once"),
        ),
        migrations.AddIndex(
            model_name="lease",
            index=models.Index(models.F("host"), condition=models.Q(("is_over", False)), name="lease_host"),
        ),
        migrations.AddIndex(
            model_name="lease",
            index=models.Index(models.F("block"), name="lease_block"),
        ),
        migrations.AddIndex(
            model_name="request",
            index=models.Index(models.F("host"), models.F("priority"), models.F("id"), name="request_queue"),
        ),
    ]
