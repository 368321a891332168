import uuid

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("archive", "0001_initial"),
        ("jobs", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Source",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("url", models.TextField(verbose_name="URL")),
                ("title", models.CharField(blank=True, max_length=300, verbose_name="title")),
                ("notes", models.TextField(blank=True, verbose_name="notes")),
                (
                    "tags",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=40),
                        blank=True,
                        default=list,
                        size=None,
                        verbose_name="tags",
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("active", "followed"),
                            ("paused", "paused"),
                            ("ended", "no longer followed"),
                        ],
                        default="active",
                        max_length=6,
                        verbose_name="state",
                    ),
                ),
                ("edition", models.PositiveIntegerField(db_default=0, default=0)),
                (
                    "created_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now, editable=False, verbose_name="followed since"
                    ),
                ),
                (
                    "scope",
                    models.CharField(
                        choices=[
                            ("page", "this page and what it is made of"),
                            ("prefix", "everything below this address"),
                            ("host", "the whole host"),
                            ("domain", "the domain with all its hosts"),
                        ],
                        default="host",
                        max_length=6,
                        verbose_name="scope",
                    ),
                ),
                ("depth", models.PositiveSmallIntegerField(default=3, verbose_name="links deep")),
                ("max_pages", models.PositiveIntegerField(default=1000, verbose_name="pages at most")),
                ("max_bytes", models.BigIntegerField(default=1073741824, verbose_name="bytes at most")),
                ("max_seconds", models.PositiveIntegerField(default=21600, verbose_name="seconds at most")),
                (
                    "is_for_any_node",
                    models.BooleanField(default=False, verbose_name="also by nodes not yet trusted"),
                ),
                ("threshold", models.FloatField(blank=True, null=True, verbose_name="important from")),
                (
                    "every_seconds",
                    models.PositiveIntegerField(blank=True, null=True, verbose_name="seconds between visits"),
                ),
                ("next_visit_at", models.DateTimeField(null=True, verbose_name="next visit")),
                ("next_visit_because", models.CharField(blank=True, max_length=200, verbose_name="why then")),
                (
                    "next_visit_values",
                    models.JSONField(db_default=models.Value({}, models.JSONField()), default=dict),
                ),
                ("next_visit_chance", models.FloatField(null=True, verbose_name="chance of a change")),
                ("auto_seconds", models.PositiveIntegerField(default=86400)),
                (
                    "predictor",
                    models.CharField(blank=True, db_default="", max_length=40, verbose_name="predictor"),
                ),
                ("weight", models.FloatField(db_default=1.0, default=1.0, verbose_name="weight")),
                ("visited_at", models.DateTimeField(null=True, verbose_name="last visit")),
                (
                    "failed_visits",
                    models.PositiveSmallIntegerField(
                        default=0, verbose_name="visits in a row that found it down"
                    ),
                ),
                (
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="sources",
                        to="archive.collection",
                        verbose_name="collection",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="sources",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="owner",
                    ),
                ),
                (
                    "topic",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="sources",
                        to="archive.topic",
                        verbose_name="topic",
                    ),
                ),
            ],
            options={
                "verbose_name": "source",
                "verbose_name_plural": "sources",
            },
        ),
        migrations.CreateModel(
            name="Version",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("number", models.PositiveIntegerField(verbose_name="number")),
                ("started_at", models.DateTimeField(verbose_name="started")),
                ("ended_at", models.DateTimeField(verbose_name="ended")),
                ("documents", models.PositiveIntegerField(default=0, verbose_name="documents")),
                ("bytes_stored", models.BigIntegerField(default=0, verbose_name="bytes stored")),
                ("bytes_saved", models.BigIntegerField(default=0, verbose_name="bytes saved by revisits")),
                ("failures", models.PositiveIntegerField(default=0, verbose_name="failures")),
                ("cut_off", models.PositiveIntegerField(db_default=0, default=0, verbose_name="cut off")),
                (
                    "warc_files",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=120),
                        default=list,
                        size=None,
                        verbose_name="WARC files",
                    ),
                ),
                ("index_seconds", models.FloatField(null=True, verbose_name="indexed in seconds")),
                ("pinned_at", models.DateTimeField(null=True, verbose_name="pinned")),
                ("forgotten_at", models.DateTimeField(null=True, verbose_name="forgotten")),
                ("forgotten_because", models.CharField(blank=True, max_length=300, verbose_name="why")),
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
                (
                    "source",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="versions",
                        to="rounds.source",
                    ),
                ),
            ],
            options={
                "verbose_name": "version",
                "verbose_name_plural": "versions",
            },
        ),
        migrations.CreateModel(
            name="VisitBudget",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("allowance", models.FloatField(default=0)),
                ("counted_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                "verbose_name": "budget of visits",
                "verbose_name_plural": "budgets of visits",
            },
        ),
        migrations.CreateModel(
            name="FeedKey",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("nonce", models.CharField(max_length=40)),
                ("made_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "person",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="feed_key",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "feed key",
                "verbose_name_plural": "feed keys",
            },
        ),
        migrations.CreateModel(
            name="Removal",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("source", models.UUIDField(editable=False)),
                ("url", models.TextField(verbose_name="URL")),
                ("versions", models.PositiveIntegerField(default=0, verbose_name="versions forgotten")),
                ("because", models.CharField(max_length=300, verbose_name="why")),
                ("removed_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="when")),
                (
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="removals",
                        to="archive.collection",
                        verbose_name="collection",
                    ),
                ),
                (
                    "removed_by",
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
                "verbose_name": "removed source",
                "verbose_name_plural": "removed sources",
            },
        ),
        migrations.CreateModel(
            name="Signal",
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
                        choices=[
                            ("told", "somebody said so"),
                            ("feed", "its feed has news"),
                            ("sitemap", "its sitemap has news"),
                            ("wiki", "its recent changes"),
                        ],
                        max_length=7,
                        verbose_name="kind",
                    ),
                ),
                ("at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="when")),
                ("url", models.TextField(blank=True, verbose_name="URL")),
                ("was_right", models.BooleanField(null=True, verbose_name="was right")),
                (
                    "person",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="signals",
                        to="rounds.source",
                    ),
                ),
            ],
            options={
                "verbose_name": "signal",
                "verbose_name_plural": "signals",
            },
        ),
        migrations.CreateModel(
            name="NoiseRule",
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
                        choices=[
                            ("selector", "elements, by CSS selector"),
                            ("numbers", "numbers in elements"),
                            ("field", "field of links"),
                            ("pattern", "text, by regular expression"),
                        ],
                        max_length=8,
                        verbose_name="kind",
                    ),
                ),
                ("where", models.CharField(max_length=500, verbose_name="where")),
                ("facet", models.CharField(default="text", max_length=4)),
                (
                    "nature",
                    models.CharField(
                        choices=[
                            ("clock", "clock or date"),
                            ("number", "counter"),
                            ("token", "token"),
                            ("part", "part that differs on every look"),
                            ("hand", "written by hand"),
                        ],
                        max_length=6,
                        verbose_name="looks like",
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("suspected", "suspected"),
                            ("learnt", "learnt"),
                            ("hand", "written by hand"),
                            ("undone", "undone"),
                        ],
                        max_length=9,
                        verbose_name="state",
                    ),
                ),
                (
                    "times_at_once",
                    models.PositiveIntegerField(default=0, verbose_name="differed within seconds"),
                ),
                ("values_alone", models.JSONField(default=list)),
                ("examples", models.JSONField(default=list, verbose_name="examples")),
                (
                    "found_at",
                    models.DateTimeField(default=django.utils.timezone.now, verbose_name="first seen"),
                ),
                ("since", models.DateTimeField(null=True, verbose_name="ignored since")),
                ("used_at", models.DateTimeField(null=True, verbose_name="last met")),
                ("visits", models.PositiveIntegerField(default=0, verbose_name="visits that met it")),
                ("is_too_slow", models.BooleanField(default=False, verbose_name="takes too long")),
                (
                    "changed_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="by",
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="noise",
                        to="rounds.source",
                    ),
                ),
            ],
            options={
                "verbose_name": "noise",
                "verbose_name_plural": "noise",
            },
        ),
        migrations.CreateModel(
            name="LastLook",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField(verbose_name="version")),
                (
                    "looked_at",
                    models.DateTimeField(default=django.utils.timezone.now, verbose_name="looked at"),
                ),
                (
                    "person",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="rounds.source"
                    ),
                ),
            ],
            options={
                "verbose_name": "last look",
                "verbose_name_plural": "last looks",
            },
        ),
        migrations.CreateModel(
            name="Beacon",
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
                        choices=[
                            ("told", "somebody said so"),
                            ("feed", "its feed has news"),
                            ("sitemap", "its sitemap has news"),
                            ("wiki", "its recent changes"),
                        ],
                        max_length=7,
                        verbose_name="kind",
                    ),
                ),
                ("url", models.TextField(verbose_name="URL")),
                ("url_digest", models.UUIDField()),
                ("fingerprint", models.CharField(blank=True, max_length=32)),
                ("next_look_at", models.DateTimeField(null=True, verbose_name="next look")),
                ("looks", models.PositiveIntegerField(default=0, verbose_name="looks")),
                (
                    "capture",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="archive.capture",
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="beacons",
                        to="rounds.source",
                    ),
                ),
            ],
            options={
                "verbose_name": "beacon",
                "verbose_name_plural": "beacons",
            },
        ),
        migrations.CreateModel(
            name="Target",
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
                        choices=[("mail", "mail"), ("apprise", "Apprise")], max_length=7, verbose_name="kind"
                    ),
                ),
                ("address", models.TextField(blank=True)),
                ("shown", models.CharField(blank=True, max_length=300, verbose_name="address")),
                ("language", models.CharField(default="en", max_length=10, verbose_name="language")),
                (
                    "created_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now, editable=False, verbose_name="added"
                    ),
                ),
                ("sent_at", models.DateTimeField(null=True, verbose_name="last sent")),
                ("failures", models.PositiveSmallIntegerField(default=0, verbose_name="failures in a row")),
                ("last_error", models.CharField(blank=True, max_length=500, verbose_name="why it failed")),
                ("retry_at", models.DateTimeField(null=True, verbose_name="tried again")),
                ("busy_until", models.DateTimeField(null=True)),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="targets",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "target",
                "verbose_name_plural": "targets",
            },
        ),
        migrations.CreateModel(
            name="Subscription",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "rhythm",
                    models.CharField(
                        choices=[("at_once", "at once"), ("daily", "once a day"), ("weekly", "once a week")],
                        default="at_once",
                        max_length=7,
                        verbose_name="when",
                    ),
                ),
                (
                    "hour",
                    models.PositiveSmallIntegerField(
                        default=7,
                        validators=[django.core.validators.MaxValueValidator(23)],
                        verbose_name="hour",
                    ),
                ),
                (
                    "weekday",
                    models.PositiveSmallIntegerField(
                        choices=[
                            (0, "Monday"),
                            (1, "Tuesday"),
                            (2, "Wednesday"),
                            (3, "Thursday"),
                            (4, "Friday"),
                            (5, "Saturday"),
                            (6, "Sunday"),
                        ],
                        default=0,
                        verbose_name="day of the week",
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now, editable=False, verbose_name="added"
                    ),
                ),
                (
                    "collection",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="subscriptions",
                        to="archive.collection",
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="subscriptions",
                        to="rounds.source",
                    ),
                ),
                (
                    "target",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="subscriptions",
                        to="rounds.target",
                    ),
                ),
            ],
            options={
                "verbose_name": "subscription",
                "verbose_name_plural": "subscriptions",
            },
        ),
        migrations.CreateModel(
            name="VersionScore",
            fields=[
                (
                    "version",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="weight",
                        serialize=False,
                        to="rounds.version",
                    ),
                ),
                ("view", models.FloatField(default=0, verbose_name="view")),
                ("form", models.FloatField(default=0, verbose_name="form")),
                ("content", models.FloatField(default=0, verbose_name="content")),
                ("score", models.FloatField(default=0, verbose_name="score")),
                ("threshold", models.FloatField(default=0, verbose_name="threshold")),
                ("is_important", models.BooleanField(default=True, verbose_name="important")),
                (
                    "pages_bytes",
                    models.PositiveIntegerField(default=0, verbose_name="pages with other bytes"),
                ),
                (
                    "pages_meaning",
                    models.PositiveIntegerField(default=0, verbose_name="pages that read or look different"),
                ),
                ("mass_pages", models.PositiveIntegerField(default=0, verbose_name="pages changed alike")),
                (
                    "mass_part",
                    models.CharField(blank=True, max_length=600, verbose_name="the part they share"),
                ),
                ("drivers", models.JSONField(default=list)),
            ],
            options={
                "verbose_name": "score of a version",
                "verbose_name_plural": "scores of versions",
            },
        ),
        migrations.CreateModel(
            name="Notice",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("due_at", models.DateTimeField()),
                ("sent_at", models.DateTimeField(null=True)),
                (
                    "target",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notices",
                        to="rounds.target",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notices",
                        to="rounds.version",
                    ),
                ),
            ],
            options={
                "verbose_name": "notice",
                "verbose_name_plural": "notices",
            },
        ),
        migrations.CreateModel(
            name="VersionDiff",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[("comparing", "being compared"), ("done", "compared")],
                        default="comparing",
                        max_length=9,
                    ),
                ),
                ("asked_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("unchanged", models.PositiveIntegerField(default=0, verbose_name="unchanged")),
                ("added", models.PositiveIntegerField(default=0, verbose_name="added")),
                ("removed", models.PositiveIntegerField(default=0, verbose_name="removed")),
                ("changed", models.PositiveIntegerField(default=0, verbose_name="changed")),
                ("failed", models.PositiveIntegerField(default=0, verbose_name="not seen this time")),
                (
                    "missed",
                    models.PositiveIntegerField(db_default=0, default=0, verbose_name="not captured before"),
                ),
                ("compared", models.PositiveIntegerField(default=0)),
                (
                    "after",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="diffs",
                        to="rounds.version",
                    ),
                ),
                (
                    "before",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="rounds.version",
                    ),
                ),
            ],
            options={
                "verbose_name": "comparison of versions",
                "verbose_name_plural": "comparisons of versions",
            },
        ),
        migrations.CreateModel(
            name="PageDiff",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("url", models.TextField()),
                ("url_digest", models.UUIDField()),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("entry", "entry page"),
                            ("page", "page"),
                            ("requisite", "part of a page"),
                            ("sitemap", "sitemap"),
                            ("feed", "feed"),
                        ],
                        max_length=9,
                    ),
                ),
                (
                    "fate",
                    models.CharField(
                        choices=[
                            ("changed", "changed"),
                            ("added", "added"),
                            ("removed", "removed"),
                            ("failed", "not seen this time"),
                            ("missed", "not captured before"),
                        ],
                        max_length=7,
                    ),
                ),
                ("status_before", models.SmallIntegerField(default=0)),
                ("status_after", models.SmallIntegerField(default=0)),
                ("reason", models.CharField(blank=True, max_length=300)),
                ("share", models.FloatField(null=True)),
                ("counts", models.JSONField(default=dict)),
                ("view", models.FloatField(null=True, verbose_name="view")),
                ("form", models.FloatField(null=True, verbose_name="form")),
                ("content", models.FloatField(null=True, verbose_name="content")),
                ("score", models.FloatField(null=True, verbose_name="score")),
                ("components", models.JSONField(default=dict)),
                ("places", models.JSONField(default=list)),
                ("nature", models.CharField(blank=True, max_length=4)),
                ("state_before", models.UUIDField(null=True)),
                ("state_after", models.UUIDField(null=True)),
                (
                    "capture_after",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="archive.capture",
                    ),
                ),
                (
                    "capture_before",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="archive.capture",
                    ),
                ),
                (
                    "diff",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="pages",
                        to="rounds.versiondiff",
                    ),
                ),
            ],
            options={
                "verbose_name": "difference of a page",
                "verbose_name_plural": "differences of pages",
            },
        ),
        migrations.CreateModel(
            name="Visit",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "cause",
                    models.CharField(
                        choices=[
                            ("first", "the first visit"),
                            ("schedule", "it was due"),
                            ("signal", "a signal said it had changed"),
                            ("hand", "somebody asked"),
                        ],
                        max_length=8,
                        verbose_name="cause",
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("probing", "looking whether it changed"),
                            ("capturing", "capturing"),
                            ("ended", "ended"),
                        ],
                        default="probing",
                        max_length=9,
                        verbose_name="state",
                    ),
                ),
                (
                    "outcome",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "not yet known"),
                            ("unchanged", "unchanged"),
                            ("captured", "captured"),
                            ("down", "down"),
                            ("refused", "refused by robots.txt"),
                            ("cancelled", "cancelled"),
                        ],
                        max_length=9,
                        verbose_name="outcome",
                    ),
                ),
                ("reason", models.CharField(blank=True, max_length=300, verbose_name="reason")),
                ("opened_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="opened")),
                ("modified_at", models.DateTimeField(null=True, verbose_name="modified")),
                ("capture_began_at", models.DateTimeField(null=True)),
                ("ended_at", models.DateTimeField(null=True, verbose_name="ended")),
                ("is_to_be_cancelled", models.BooleanField(default=False)),
                ("requests", models.PositiveIntegerField(default=0, verbose_name="requests")),
                ("size_bytes", models.BigIntegerField(default=0, verbose_name="bytes")),
                ("failures", models.PositiveIntegerField(default=0, verbose_name="failures")),
                ("cut_off", models.PositiveIntegerField(db_default=0, default=0, verbose_name="cut off")),
                (
                    "pages_bytes",
                    models.PositiveIntegerField(default=0, verbose_name="pages with other bytes"),
                ),
                (
                    "pages_meaning",
                    models.PositiveIntegerField(default=0, verbose_name="pages that read or look different"),
                ),
                ("left_out", models.JSONField(default=dict, verbose_name="left out")),
                (
                    "source",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="visits",
                        to="rounds.source",
                    ),
                ),
            ],
            options={
                "verbose_name": "visit",
                "verbose_name_plural": "visits",
            },
        ),
        migrations.AddField(
            model_name="version",
            name="visit",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE, related_name="version", to="rounds.visit"
            ),
        ),
        migrations.CreateModel(
            name="Look",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField()),
                ("url", models.TextField()),
                ("url_digest", models.UUIDField()),
                ("status", models.SmallIntegerField(default=0)),
                ("is_compared", models.BooleanField(default=False)),
                (
                    "capture",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="archive.capture",
                    ),
                ),
                (
                    "visit",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="looks", to="rounds.visit"
                    ),
                ),
            ],
            options={
                "verbose_name": "further look",
                "verbose_name_plural": "further looks",
            },
        ),
        migrations.CreateModel(
            name="VisitPage",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("url", models.TextField()),
                ("url_digest", models.UUIDField()),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("entry", "entry page"),
                            ("page", "page"),
                            ("requisite", "part of a page"),
                            ("sitemap", "sitemap"),
                            ("feed", "feed"),
                        ],
                        max_length=9,
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "waiting"),
                            ("answered", "answered, links not yet read"),
                            ("done", "captured"),
                            ("failed", "failed"),
                            ("refused", "refused"),
                            ("left", "left out"),
                        ],
                        default="queued",
                        max_length=8,
                    ),
                ),
                ("depth", models.PositiveSmallIntegerField(default=0)),
                ("status", models.SmallIntegerField(default=0)),
                ("reason", models.CharField(blank=True, max_length=300)),
                ("is_unchanged", models.BooleanField(default=False)),
                ("pattern", models.UUIDField(null=True)),
                (
                    "capture",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="archive.capture",
                    ),
                ),
                (
                    "found_on",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="rounds.visitpage",
                    ),
                ),
                (
                    "visit",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="pages",
                        to="rounds.visit",
                    ),
                ),
            ],
            options={
                "verbose_name": "page of a visit",
                "verbose_name_plural": "pages of visits",
            },
        ),
        migrations.CreateModel(
            name="PredictorChoice",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("predictor", models.CharField(max_length=40, verbose_name="predictor")),
                (
                    "collection",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="archive.collection",
                    ),
                ),
                (
                    "topic",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="archive.topic",
                    ),
                ),
            ],
            options={
                "verbose_name": "choice of a predictor",
                "verbose_name_plural": "choices of predictors",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("collection__isnull", False), ("topic__isnull", True)),
                            models.Q(("collection__isnull", True), ("topic__isnull", False)),
                            _connector="OR",
                        ),
                        name="choice_of_one_thing",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Simulation",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("title", models.CharField(max_length=200, verbose_name="title")),
                (
                    "created_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now, editable=False, verbose_name="started"
                    ),
                ),
                ("trace", models.TextField(blank=True)),
                ("scenario", models.JSONField(default=dict)),
                ("predictors", models.JSONField(default=list)),
                ("objective", models.CharField(default="versions", max_length=10)),
                ("visits_per_day", models.FloatField(null=True)),
                ("result", models.JSONField(null=True)),
                (
                    "collection",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="archive.collection",
                    ),
                ),
                (
                    "job",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="jobs.job",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "simulation",
                "verbose_name_plural": "simulations",
                "indexes": [
                    models.Index(
                        models.F("owner"),
                        models.OrderBy(models.F("created_at"), descending=True),
                        name="simulation_of_person",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="TrackRecord",
            fields=[
                (
                    "source",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="record",
                        serialize=False,
                        to="rounds.source",
                    ),
                ),
                ("visits", models.PositiveIntegerField(default=0, verbose_name="visits")),
                ("needless", models.PositiveIntegerField(default=0, verbose_name="needless visits")),
                ("changes", models.PositiveIntegerField(default=0, verbose_name="changes")),
                ("lost", models.FloatField(default=0, verbose_name="changes lost (estimated)")),
                ("bytes_stored", models.BigIntegerField(default=0, verbose_name="bytes stored")),
                ("bytes_saved", models.BigIntegerField(default=0, verbose_name="bytes saved")),
                ("observed_days", models.PositiveIntegerField(default=0, verbose_name="observed days")),
                ("frequency", models.FloatField(default=0, verbose_name="frequency")),
                (
                    "group",
                    models.CharField(
                        blank=True,
                        choices=[("high", "high"), ("medium", "medium"), ("low", "low")],
                        max_length=6,
                        verbose_name="group",
                    ),
                ),
                (
                    "behaviour",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("steady", "steady"),
                            ("working-day", "on working days"),
                            ("bursty", "in bursts"),
                            ("seasonal", "by seasons"),
                            ("silent", "silent"),
                            ("erratic", "erratic"),
                        ],
                        max_length=11,
                        verbose_name="behaviour",
                    ),
                ),
                (
                    "best_predictor",
                    models.CharField(blank=True, max_length=40, verbose_name="best predictor"),
                ),
                ("back_test", models.JSONField(default=list)),
                ("back_tested_at", models.DateTimeField(null=True, verbose_name="tried")),
            ],
            options={
                "verbose_name": "track record",
                "verbose_name_plural": "track records",
                "indexes": [models.Index(models.F("group"), models.F("behaviour"), name="record_of_group")],
            },
        ),
        migrations.AddIndex(
            model_name="source",
            index=models.Index(
                models.F("next_visit_at"), condition=models.Q(("state", "active")), name="source_due"
            ),
        ),
        migrations.AddIndex(
            model_name="source",
            index=models.Index(
                models.Func(
                    models.F("url"),
                    models.Value("/"),
                    models.Value(3),
                    function="split_part",
                    output_field=models.TextField(),
                ),
                name="source_of_host",
            ),
        ),
        migrations.AddConstraint(
            model_name="source",
            constraint=models.UniqueConstraint(
                models.F("collection"), models.F("url"), models.F("scope"), name="source_once"
            ),
        ),
        migrations.AddIndex(
            model_name="signal",
            index=models.Index(
                models.F("source"), models.OrderBy(models.F("at"), descending=True), name="signal_of_source"
            ),
        ),
        migrations.AddIndex(
            model_name="signal",
            index=models.Index(
                models.F("person"),
                models.F("at"),
                condition=models.Q(("person__isnull", False)),
                name="signal_by_person",
            ),
        ),
        migrations.AddConstraint(
            model_name="noiserule",
            constraint=models.UniqueConstraint(
                models.F("source"), models.F("kind"), models.F("where"), models.F("facet"), name="noise_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="lastlook",
            constraint=models.UniqueConstraint(models.F("person"), models.F("source"), name="last_look_once"),
        ),
        migrations.AddIndex(
            model_name="beacon",
            index=models.Index(
                models.F("next_look_at"),
                condition=models.Q(("next_look_at__isnull", False)),
                name="beacon_due",
            ),
        ),
        migrations.AddConstraint(
            model_name="beacon",
            constraint=models.UniqueConstraint(
                models.F("source"), models.F("url_digest"), name="beacon_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="target",
            constraint=models.UniqueConstraint(
                models.F("person"), models.F("kind"), models.F("address"), name="target_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="subscription",
            constraint=models.UniqueConstraint(
                models.F("target"),
                models.F("source"),
                models.F("collection"),
                name="subscribed_once",
                nulls_distinct=False,
            ),
        ),
        migrations.AddConstraint(
            model_name="subscription",
            constraint=models.CheckConstraint(
                condition=models.Q(("source", None), ("collection", None), _connector="OR"),
                name="source_or_collection",
            ),
        ),
        migrations.AddField(
            model_name="versionscore",
            name="returns_to",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="rounds.version",
                verbose_name="as it was in",
            ),
        ),
        migrations.AddIndex(
            model_name="notice",
            index=models.Index(models.F("due_at"), condition=models.Q(("sent_at", None)), name="notice_due"),
        ),
        migrations.AddConstraint(
            model_name="notice",
            constraint=models.UniqueConstraint(models.F("target"), models.F("version"), name="notice_once"),
        ),
        migrations.AddConstraint(
            model_name="versiondiff",
            constraint=models.UniqueConstraint(
                models.F("after"), models.F("before"), name="versions_compared_once", nulls_distinct=False
            ),
        ),
        migrations.AddIndex(
            model_name="pagediff",
            index=models.Index(
                models.F("diff"),
                models.F("fate"),
                models.OrderBy(models.F("share"), descending=True, nulls_last=True),
                name="page_diff_ranked",
            ),
        ),
        migrations.AddConstraint(
            model_name="pagediff",
            constraint=models.UniqueConstraint(
                models.F("diff"), models.F("url_digest"), name="page_diff_once"
            ),
        ),
        migrations.AddIndex(
            model_name="visit",
            index=models.Index(
                models.F("source"),
                models.OrderBy(models.F("opened_at"), descending=True),
                name="visit_of_source",
            ),
        ),
        migrations.AddIndex(
            model_name="visit",
            index=models.Index(
                models.F("state"), condition=models.Q(("state", "ended"), _negated=True), name="visit_open"
            ),
        ),
        migrations.AddIndex(
            model_name="visit",
            index=django.contrib.postgres.indexes.BrinIndex(models.F("opened_at"), name="visit_times"),
        ),
        migrations.AddConstraint(
            model_name="visit",
            constraint=models.UniqueConstraint(
                models.F("source"),
                condition=models.Q(("state", "ended"), _negated=True),
                name="one_visit_at_a_time",
            ),
        ),
        migrations.AddConstraint(
            model_name="version",
            constraint=models.UniqueConstraint(models.F("source"), models.F("number"), name="version_number"),
        ),
        migrations.AddConstraint(
            model_name="look",
            constraint=models.UniqueConstraint(
                models.F("visit"), models.F("url_digest"), models.F("number"), name="look_once"
            ),
        ),
        migrations.AddIndex(
            model_name="visitpage",
            index=models.Index(
                models.F("visit"),
                models.F("state"),
                condition=models.Q(("state__in", ["queued", "answered"])),
                name="visit_pages_open",
            ),
        ),
        migrations.AddConstraint(
            model_name="visitpage",
            constraint=models.UniqueConstraint(
                models.F("visit"), models.F("url_digest"), name="page_once_a_visit"
            ),
        ),
    ]
