import uuid

from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Leadership",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("instance", models.UUIDField()),
                ("machine", models.CharField(max_length=255, verbose_name="machine")),
                ("pid", models.IntegerField(verbose_name="process id")),
                ("since", models.DateTimeField(verbose_name="since")),
                ("beat_at", models.DateTimeField(verbose_name="last heartbeat")),
                ("ended_at", models.DateTimeField(null=True, verbose_name="ended")),
            ],
            options={
                "verbose_name": "leadership",
                "verbose_name_plural": "leaderships",
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="Secret",
            fields=[
                ("name", models.CharField(max_length=40, primary_key=True, serialize=False)),
                ("value", models.TextField()),
            ],
        ),
        migrations.CreateModel(
            name="Process",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("instance", models.UUIDField()),
                ("machine", models.CharField(max_length=255, verbose_name="machine")),
                ("name", models.CharField(max_length=80, verbose_name="process")),
                ("role", models.CharField(max_length=40, verbose_name="role")),
                ("pid", models.IntegerField(null=True, verbose_name="process id")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("starting", "Starting"),
                            ("running", "Running"),
                            ("failing", "Failing"),
                            ("stopped", "Stopped"),
                        ],
                        max_length=10,
                        verbose_name="state",
                    ),
                ),
                ("doing", models.TextField(blank=True, verbose_name="doing")),
                ("restarts", models.IntegerField(default=0, verbose_name="restarts")),
                ("last_words", models.TextField(blank=True, verbose_name="last words")),
                ("version", models.CharField(max_length=40, verbose_name="version")),
                ("started_at", models.DateTimeField(null=True, verbose_name="started")),
                ("beat_at", models.DateTimeField(null=True, verbose_name="last heartbeat")),
                ("reported_at", models.DateTimeField()),
                ("restart_requested_at", models.DateTimeField(null=True)),
            ],
            options={
                "verbose_name": "process",
                "verbose_name_plural": "processes",
                "constraints": [
                    models.UniqueConstraint(models.F("instance"), models.F("name"), name="process_once")
                ],
            },
        ),
    ]
