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
                "constraints": [
                    models.UniqueConstraint(models.F("owner"), models.F("name"), name="node_name_of_owner")
                ],
            },
        ),
    ]
