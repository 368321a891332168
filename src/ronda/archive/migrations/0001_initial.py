import django.contrib.postgres.indexes
import django.contrib.postgres.search
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
            name="EndedSession",
            fields=[
                ("mark", models.CharField(max_length=32, primary_key=True, serialize=False)),
                ("ended_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                "verbose_name": "ended session",
                "verbose_name_plural": "ended sessions",
            },
        ),
        migrations.CreateModel(
            name="SpentTicket",
            fields=[
                ("mark", models.CharField(max_length=32, primary_key=True, serialize=False)),
                ("spent_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                "verbose_name": "spent ticket",
                "verbose_name_plural": "spent tickets",
            },
        ),
        migrations.CreateModel(
            name="Topic",
            fields=[
                (
                    "code",
                    models.PositiveSmallIntegerField(primary_key=True, serialize=False, verbose_name="code"),
                ),
                ("name", models.CharField(max_length=120, unique=True, verbose_name="name")),
            ],
            options={
                "verbose_name": "topic",
                "verbose_name_plural": "topics",
            },
        ),
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
            name="Collection",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(max_length=60, unique=True, verbose_name="short name")),
                ("name", models.CharField(max_length=120, unique=True, verbose_name="name")),
                ("description", models.TextField(blank=True, verbose_name="description")),
                ("is_public", models.BooleanField(default=True, verbose_name="for everybody")),
                (
                    "created_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now, editable=False, verbose_name="created"
                    ),
                ),
                (
                    "people",
                    models.ManyToManyField(
                        blank=True,
                        related_name="collections",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="people",
                    ),
                ),
            ],
            options={
                "verbose_name": "collection",
                "verbose_name_plural": "collections",
            },
        ),
        migrations.CreateModel(
            name="Forgetting",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("url", models.TextField(verbose_name="URL or pattern")),
                ("captures", models.PositiveIntegerField(verbose_name="captures")),
                ("because", models.CharField(max_length=300, verbose_name="why")),
                (
                    "forgotten_at",
                    models.DateTimeField(default=django.utils.timezone.now, verbose_name="when"),
                ),
                (
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="forgettings",
                        to="archive.collection",
                        verbose_name="collection",
                    ),
                ),
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
            ],
            options={
                "verbose_name": "forgotten import",
                "verbose_name_plural": "forgotten imports",
            },
        ),
        migrations.CreateModel(
            name="Text",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("digest", models.CharField(max_length=80, unique=True)),
                ("title", models.CharField(max_length=300, verbose_name="title")),
                ("text", models.TextField(verbose_name="text")),
                ("language", models.CharField(blank=True, max_length=8, verbose_name="language")),
                (
                    "dictionary",
                    models.CharField(
                        choices=[
                            ("spanish", "Spanish"),
                            ("english", "English"),
                            ("simple", "other languages"),
                        ],
                        max_length=8,
                    ),
                ),
                ("words", django.contrib.postgres.search.SearchVectorField()),
            ],
            options={
                "verbose_name": "text",
                "verbose_name_plural": "texts",
                "indexes": [
                    django.contrib.postgres.indexes.GinIndex(models.F("words"), name="text_of_words")
                ],
            },
        ),
        migrations.CreateModel(
            name="Favourite",
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
                        choices=[("source", "source"), ("version", "version"), ("capture", "capture")],
                        max_length=7,
                        verbose_name="kind",
                    ),
                ),
                ("key", models.CharField(max_length=36)),
                (
                    "starred_at",
                    models.DateTimeField(default=django.utils.timezone.now, verbose_name="starred"),
                ),
                (
                    "person",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="favourites",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "favourite",
                "verbose_name_plural": "favourites",
                "constraints": [
                    models.UniqueConstraint(
                        models.F("person"), models.F("kind"), models.F("key"), name="favourite_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="PastSearch",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("query", models.CharField(max_length=2000)),
                (
                    "searched_at",
                    models.DateTimeField(default=django.utils.timezone.now, verbose_name="searched"),
                ),
                (
                    "person",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="past_searches",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "past search",
                "verbose_name_plural": "past searches",
                "indexes": [
                    models.Index(
                        models.F("person"),
                        models.OrderBy(models.F("searched_at"), descending=True),
                        name="past_search_newest",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(models.F("person"), models.F("query"), name="past_search_once")
                ],
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
                ("urlkey", models.TextField(blank=True, db_collation="C", db_default="")),
                ("fetched_at", models.DateTimeField(verbose_name="fetched")),
                ("status", models.SmallIntegerField(verbose_name="status")),
                ("mime", models.CharField(blank=True, max_length=100, verbose_name="type")),
                ("digest", models.CharField(max_length=80, verbose_name="digest")),
                ("address", models.CharField(blank=True, max_length=45, verbose_name="address")),
                ("truncated", models.CharField(blank=True, max_length=12, verbose_name="cut off by")),
                ("offset", models.BigIntegerField()),
                ("length", models.BigIntegerField()),
                ("response_length", models.BigIntegerField()),
                ("payload_bytes", models.BigIntegerField(db_default=0, default=0, verbose_name="size")),
                ("source", models.UUIDField(null=True)),
                ("visit", models.BigIntegerField(null=True)),
                ("is_text_due", models.BooleanField(db_default=False)),
                ("node", models.UUIDField(null=True)),
                ("owner", models.BigIntegerField(null=True)),
                ("voided_at", models.DateTimeField(null=True, verbose_name="found to be wrong")),
                ("forgotten_at", models.DateTimeField(null=True, verbose_name="forgotten")),
                (
                    "refers_to",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="archive.capture",
                    ),
                ),
                (
                    "collection",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="archive.collection",
                    ),
                ),
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
                    models.Index(
                        models.F("urlkey"),
                        models.F("fetched_at"),
                        condition=models.Q(("collection__isnull", False)),
                        name="capture_of_key",
                    ),
                    models.Index(
                        models.F("digest"),
                        models.F("fetched_at"),
                        condition=models.Q(("collection__isnull", False)),
                        name="capture_of_digest",
                    ),
                    models.Index(
                        models.F("id"), condition=models.Q(("is_text_due", True)), name="capture_text_due"
                    ),
                    models.Index(
                        models.F("visit"),
                        condition=models.Q(("visit__isnull", False)),
                        name="capture_of_visit",
                    ),
                    models.Index(
                        models.F("source"),
                        models.F("digest"),
                        condition=models.Q(("source__isnull", False)),
                        name="capture_of_source",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(models.F("file"), models.F("offset"), name="capture_once")
                ],
            },
        ),
    ]
