import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="WarcFile",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=120, unique=True, verbose_name="file")),
                ("machine", models.CharField(max_length=255, verbose_name="machine")),
                ("size_bytes", models.BigIntegerField(default=0, verbose_name="size")),
                (
                    "created_at",
                    models.DateTimeField(default=django.utils.timezone.now, verbose_name="created"),
                ),
                ("closed_at", models.DateTimeField(null=True, verbose_name="closed")),
            ],
            options={
                "verbose_name": "WARC file",
                "verbose_name_plural": "WARC files",
            },
        ),
        migrations.CreateModel(
            name="Capture",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("url", models.TextField(verbose_name="URL")),
                ("url_digest", models.UUIDField()),
                ("fetched_at", models.DateTimeField(verbose_name="fetched")),
                ("status", models.SmallIntegerField(verbose_name="status")),
                ("mime", models.CharField(blank=True, max_length=100, verbose_name="type")),
                ("digest", models.CharField(max_length=80, verbose_name="digest")),
                ("address", models.CharField(blank=True, max_length=45, verbose_name="address")),
                ("truncated", models.CharField(blank=True, max_length=12, verbose_name="cut off by")),
                ("offset", models.BigIntegerField()),
                ("length", models.BigIntegerField()),
                ("response_length", models.BigIntegerField()),
                ("node", models.UUIDField(null=True)),
                ("owner", models.BigIntegerField(null=True)),
                ("voided_at", models.DateTimeField(null=True, verbose_name="found to be wrong")),
                (
                    "file",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.PROTECT, to="archive.warcfile"
                    ),
                ),
            ],
            options={
                "verbose_name": "capture",
                "verbose_name_plural": "captures",
                "indexes": [
                    models.Index(
                        models.F("url_digest"),
                        models.OrderBy(models.F("fetched_at"), descending=True),
                        name="capture_of_url",
                    ),
                    models.Index(
                        models.Func(
                            models.F("url"),
                            models.Value("/"),
                            models.Value(3),
                            function="split_part",
                            output_field=models.TextField(),
                        ),
                        models.OrderBy(models.F("id"), descending=True),
                        name="capture_of_host",
                    ),
                ],
            },
        ),
    ]
