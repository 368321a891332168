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
            name="PolicyChange",
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
                ("name", models.CharField(max_length=80, verbose_name="setting")),
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
                "verbose_name": "change of a setting",
                "verbose_name_plural": "changes of settings",
                "ordering": ["-id"],
                "indexes": [
                    models.Index(
                        models.F("name"),
                        models.OrderBy(models.F("id"), descending=True),
                        name="policy_newest",
                    )
                ],
            },
        ),
    ]
