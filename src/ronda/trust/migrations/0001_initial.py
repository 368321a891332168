import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("archive", "0001_initial"),
        ("grid", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Canary",
            fields=[
                ("url", models.CharField(max_length=300, primary_key=True, serialize=False)),
                ("worked_at", models.DateTimeField(null=True)),
                ("trouble", models.CharField(blank=True, max_length=300)),
            ],
        ),
        migrations.CreateModel(
            name="Standing",
            fields=[
                (
                    "node",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="standing",
                        serialize=False,
                        to="grid.node",
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("new", "new"),
                            ("trusted", "trusted"),
                            ("suspected", "suspected"),
                            ("quarantined", "in quarantine"),
                        ],
                        default="new",
                        max_length=11,
                        verbose_name="trust",
                    ),
                ),
                ("replicated", models.BigIntegerField(default=0, verbose_name="answers compared")),
                ("checked", models.BigIntegerField(default=0, verbose_name="checks decided")),
                ("passed", models.BigIntegerField(default=0, verbose_name="passed")),
                ("failed", models.BigIntegerField(default=0, verbose_name="failed")),
                ("unclear", models.BigIntegerField(default=0, verbose_name="unclear")),
                (
                    "unreached",
                    models.IntegerField(default=0, verbose_name="probes in a row that it could not reach"),
                ),
                ("consecutive_valid", models.BigIntegerField(default=0, verbose_name="passed in a row")),
                (
                    "skipped",
                    models.IntegerField(default=0, verbose_name="uploads in a row without their probes"),
                ),
                ("luck", models.FloatField(default=1.0)),
                ("votes", models.JSONField(default=list)),
                ("caught_by", models.CharField(blank=True, max_length=10)),
                ("quarantined_at", models.DateTimeField(null=True, verbose_name="in quarantine since")),
                ("reason", models.CharField(blank=True, max_length=300, verbose_name="because")),
                ("is_to_be_voided", models.BooleanField(default=False)),
                ("answer_mark", models.BigIntegerField(default=0)),
                ("capture_mark", models.BigIntegerField(default=0)),
                ("vouched_at", models.DateTimeField(null=True)),
                ("looked_at", models.DateTimeField(null=True)),
            ],
            options={
                "verbose_name": "standing",
                "verbose_name_plural": "standings",
            },
        ),
        migrations.CreateModel(
            name="Check",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("url", models.TextField()),
                ("host", models.CharField(max_length=262)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "waits for another copy"),
                            ("ready", "to be compared"),
                            ("decided", "decided"),
                            ("given up", "nobody else could fetch it"),
                        ],
                        default="waiting",
                        max_length=8,
                    ),
                ),
                ("mark", models.CharField(blank=True, max_length=8)),
                ("answer_mark", models.BigIntegerField(default=0)),
                ("capture_mark", models.BigIntegerField(default=0)),
                ("vouches_until", models.DateTimeField(null=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("asked_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("decided_at", models.DateTimeField(null=True)),
                ("note", models.CharField(blank=True, max_length=200)),
                (
                    "answer",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="reports",
                        to="grid.fetchanswer",
                    ),
                ),
                (
                    "fetch",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="grid.fetch",
                    ),
                ),
                (
                    "reported_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "check",
                "verbose_name_plural": "checks",
            },
        ),
        migrations.CreateModel(
            name="CheckCopy",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("owner", models.BigIntegerField(null=True)),
                ("country", models.CharField(blank=True, max_length=2)),
                ("status", models.SmallIntegerField(default=0)),
                ("mark", models.CharField(blank=True, max_length=8)),
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
                    "node",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="grid.node",
                    ),
                ),
                (
                    "of",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="copies", to="trust.check"
                    ),
                ),
            ],
            options={
                "verbose_name": "copy",
                "verbose_name_plural": "copies",
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="Incident",
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
                        choices=[("caught", "put in quarantine"), ("lifted", "quarantine lifted")],
                        max_length=6,
                    ),
                ),
                ("reason", models.CharField(max_length=300)),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "node",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="incidents", to="grid.node"
                    ),
                ),
            ],
            options={
                "verbose_name": "incident",
                "verbose_name_plural": "incidents",
            },
        ),
        migrations.CreateModel(
            name="Probe",
            fields=[
                ("id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("block", models.UUIDField()),
                ("url", models.TextField()),
                ("path", models.CharField(max_length=80)),
                ("robots_number", models.BigIntegerField(null=True)),
                ("digest", models.CharField(blank=True, max_length=80)),
                ("given_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("seen_at", models.DateTimeField(null=True)),
                ("seen_from", models.CharField(blank=True, max_length=45)),
                ("result", models.CharField(blank=True, max_length=9)),
                (
                    "node",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="probes",
                        to="grid.node",
                    ),
                ),
            ],
            options={
                "verbose_name": "probe",
                "verbose_name_plural": "probes",
            },
        ),
        migrations.AddIndex(
            model_name="check",
            index=models.Index(
                models.F("asked_at"),
                condition=models.Q(("state__in", ("waiting", "ready"))),
                name="check_open",
            ),
        ),
        migrations.AddIndex(
            model_name="check",
            index=models.Index(
                models.F("created_at"),
                condition=models.Q(("answer__isnull", False), ("state", "given up")),
                name="report_given_up",
            ),
        ),
        migrations.AddConstraint(
            model_name="check",
            constraint=models.UniqueConstraint(
                models.F("answer"), condition=models.Q(("answer__isnull", False)), name="answer_reported_once"
            ),
        ),
        migrations.AddIndex(
            model_name="checkcopy",
            index=models.Index(
                models.F("capture"), condition=models.Q(("capture__isnull", False)), name="copy_capture"
            ),
        ),
        migrations.AddIndex(
            model_name="probe",
            index=models.Index(models.F("block"), name="probe_of_block"),
        ),
        migrations.AddIndex(
            model_name="probe",
            index=models.Index(models.F("path"), name="probe_at_path"),
        ),
        migrations.AddIndex(
            model_name="probe",
            index=models.Index(models.F("given_at"), name="probe_given"),
        ),
    ]
