import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.comparison
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import ronda.frontier.strategies


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

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
                ("size", models.IntegerField(default=0, verbose_name="hosts")),
            ],
            options={
                "verbose_name": "group of hosts",
                "verbose_name_plural": "groups of hosts",
            },
        ),
        migrations.CreateModel(
            name="Reach",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "host_id", "country", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("host_id", models.BigIntegerField()),
                ("country", models.CharField(max_length=2)),
                ("latency_seconds", models.FloatField()),
                ("measured_at", models.DateTimeField()),
            ],
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
            name="Share",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "batch_id", "node", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("batch_id", models.BigIntegerField()),
                ("node", models.UUIDField()),
                ("given", models.BigIntegerField()),
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
                (
                    "strategy",
                    models.CharField(default=ronda.frontier.strategies.Strategy["LEAST_BUSY"], max_length=10),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("total", models.BigIntegerField(default=0)),
                ("ended", models.BigIntegerField(default=0)),
                ("is_cancelled", models.BooleanField(default=False)),
            ],
            options={
                "verbose_name": "batch",
                "verbose_name_plural": "batches",
                "indexes": [
                    models.Index(
                        models.F("id"), condition=models.Q(("is_cancelled", True)), name="batch_cancelled"
                    )
                ],
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
                ("continent", models.CharField(blank=True, max_length=2, verbose_name="continent")),
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
                ("waiting_since", models.DateTimeField(null=True)),
                ("holders", models.SmallIntegerField(default=0, verbose_name="nodes that hold it")),
                ("max_nodes", models.SmallIntegerField(default=1, verbose_name="nodes at a time")),
                (
                    "is_delay_per_node",
                    models.BooleanField(default=False, verbose_name="delay counts per node"),
                ),
                ("queued", models.IntegerField(default=0, verbose_name="queued")),
                ("has_work", models.BooleanField(default=False)),
                ("lane", models.SmallIntegerField(default=0)),
                ("turn", models.IntegerField(default=0)),
                ("delay_seconds", models.FloatField(blank=True, null=True, verbose_name="delay set by hand")),
                ("crawl_delay_seconds", models.FloatField(null=True, verbose_name="Crawl-delay")),
                ("latency_seconds", models.FloatField(null=True, verbose_name="last latency")),
                ("learned_delay_seconds", models.FloatField(null=True, verbose_name="delay learned")),
                ("learned_at", models.DateTimeField(null=True)),
                (
                    "robots_state",
                    models.CharField(
                        choices=[
                            ("unknown", "not asked yet"),
                            ("rules", "has rules"),
                            ("absent", "none: all is allowed"),
                            ("unreachable", "not to be had: nothing is allowed"),
                            ("elsewhere", "stands elsewhere: being fetched from there"),
                            ("failed", "no node could reach the host"),
                        ],
                        default="unknown",
                        max_length=11,
                        verbose_name="robots.txt",
                    ),
                ),
                ("robots_text", models.TextField(blank=True)),
                ("robots_expires_at", models.DateTimeField(null=True)),
                ("robots_node", models.UUIDField(null=True)),
                (
                    "robots_tried",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.UUIDField(), default=list, size=None
                    ),
                ),
                ("robots_others_until", models.DateTimeField(null=True)),
                ("robots_failures", models.SmallIntegerField(default=0)),
                ("robots_failure", models.CharField(default="", max_length=30)),
                (
                    "robots_way",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(), default=list, size=None
                    ),
                ),
                (
                    "avoided_nodes",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.UUIDField(), default=list, size=None
                    ),
                ),
                ("avoided_until", models.DateTimeField(null=True)),
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
                ("owner", models.BigIntegerField()),
                (
                    "request_ids",
                    django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None),
                ),
                ("is_robots", models.BooleanField(default=False)),
                ("is_trusted", models.BooleanField(default=False)),
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
                (
                    "ip_group",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        to="frontier.ipgroup",
                    ),
                ),
            ],
            options={
                "verbose_name": "lease",
                "verbose_name_plural": "leases",
            },
        ),
        migrations.CreateModel(
            name="OptOut",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("pattern", models.CharField(max_length=264, unique=True, verbose_name="host")),
                ("reason", models.CharField(max_length=200, verbose_name="reason")),
                (
                    "created_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now, editable=False, verbose_name="added"
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="added by",
                    ),
                ),
            ],
            options={
                "verbose_name": "opt-out",
                "verbose_name_plural": "opt-outs",
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
                ("turn", models.IntegerField(default=0)),
                ("not_before", models.DateTimeField()),
                ("attempts", models.SmallIntegerField(default=0)),
                ("copy", models.CharField(default="", max_length=40)),
                (
                    "strategy",
                    models.CharField(default=ronda.frontier.strategies.Strategy["LEAST_BUSY"], max_length=10),
                ),
                ("country", models.CharField(default="", max_length=2)),
                (
                    "not_owners",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), null=True, size=None
                    ),
                ),
                ("is_for_trusted", models.BooleanField(default=False)),
                ("known", models.JSONField(null=True)),
                ("is_kept_unchanged", models.BooleanField(default=True)),
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
        migrations.CreateModel(
            name="HostChange",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("value", models.TextField(verbose_name="value")),
                ("former", models.TextField(verbose_name="before")),
                ("note", models.CharField(blank=True, max_length=200, verbose_name="reason")),
                (
                    "changed_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now, editable=False, verbose_name="changed"
                    ),
                ),
                ("subject", models.CharField(max_length=264, verbose_name="host")),
                (
                    "field",
                    models.CharField(
                        choices=[
                            ("delay_seconds", "delay set by hand"),
                            ("max_nodes", "nodes at a time"),
                            ("is_delay_per_node", "delay counts per node"),
                            ("backoff_until", "rests until"),
                            ("robots_expires_at", "robots.txt good until"),
                            ("opt_out", "opt-out"),
                        ],
                        max_length=20,
                        verbose_name="what",
                    ),
                ),
                (
                    "changed_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="changed by",
                    ),
                ),
            ],
            options={
                "verbose_name": "change of a host",
                "verbose_name_plural": "changes of hosts",
                "ordering": ["-id"],
                "indexes": [
                    models.Index(
                        models.F("subject"),
                        models.OrderBy(models.F("id"), descending=True),
                        name="host_changes",
                    )
                ],
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
                models.F("lane"),
                models.F("due_at"),
                condition=models.Q(("blocked_reason", ""), ("has_work", True)),
                name="host_lanes",
            ),
        ),
        migrations.AddIndex(
            model_name="host",
            index=models.Index(
                models.F("due_at"),
                condition=models.Q(
                    ("blocked_reason", ""),
                    ("has_work", True),
                    ("is_delay_per_node", True),
                    ("max_nodes__gt", 1),
                ),
                name="host_heap_of_several",
            ),
        ),
        migrations.AddIndex(
            model_name="host",
            index=models.Index(
                models.F("address"), condition=models.Q(("address", ""), _negated=True), name="host_address"
            ),
        ),
        migrations.AddIndex(
            model_name="host",
            index=models.Index(
                models.F("id"),
                condition=models.Q(("blocked_reason", ""), _negated=True),
                name="host_opted_out",
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
            model_name="lease",
            index=models.Index(models.F("node"), condition=models.Q(("is_over", False)), name="lease_node"),
        ),
        migrations.AddIndex(
            model_name="lease",
            index=models.Index(
                models.F("ip_group"), condition=models.Q(("ip_group__isnull", False)), name="lease_group"
            ),
        ),
        migrations.AddIndex(
            model_name="request",
            index=models.Index(
                models.F("host"),
                models.F("country"),
                models.F("is_for_trusted"),
                models.F("priority"),
                models.F("turn"),
                models.F("id"),
                name="request_queue",
            ),
        ),
        migrations.AddIndex(
            model_name="request",
            index=models.Index(
                models.F("country"),
                models.F("not_before"),
                condition=models.Q(("country", ""), _negated=True),
                name="request_country",
            ),
        ),
        migrations.AddIndex(
            model_name="request",
            index=models.Index(
                models.F("not_before"),
                condition=models.Q(("not_owners__isnull", False)),
                name="request_for_others",
            ),
        ),
    ]
