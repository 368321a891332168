import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("grid", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Account",
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
                            ("balance", "balance"),
                            ("reserved", "reserved for fetches"),
                            ("pending", "earned, not settled yet"),
                            ("settled", "earned and settled"),
                            ("operator", "operator"),
                            ("outside", "outside of Ronda"),
                        ],
                        max_length=8,
                        verbose_name="account",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="accounts",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="person",
                    ),
                ),
            ],
            options={
                "verbose_name": "account",
                "verbose_name_plural": "accounts",
            },
        ),
        migrations.CreateModel(
            name="FetchPrice",
            fields=[
                (
                    "fetch",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="price",
                        serialize=False,
                        to="grid.fetch",
                    ),
                ),
                ("micros_per_thousand", models.BigIntegerField()),
                ("operator_millionths", models.IntegerField()),
                ("held_micros", models.BigIntegerField()),
                ("paid_urls", models.BigIntegerField(default=0)),
                ("closed_at", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(
                        models.F("fetch"), condition=models.Q(("closed_at", None)), name="price_open"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Transfer",
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
                            ("topped up", "topped up"),
                            ("paid out", "paid out"),
                            ("reserved", "reserved for a fetch"),
                            ("returned", "returned: not delivered"),
                            ("earned", "URLs fetched"),
                            ("reversed", "taken back: wrong answers"),
                            ("settled", "settled"),
                            ("lapsed", "lapsed: never checked"),
                        ],
                        max_length=9,
                        verbose_name="what for",
                    ),
                ),
                ("key", models.CharField(max_length=120, unique=True)),
                ("made_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="when")),
                ("fetch", models.UUIDField(null=True)),
                ("node", models.UUIDField(null=True)),
                ("urls", models.IntegerField(null=True, verbose_name="URLs")),
                ("made_by", models.CharField(blank=True, max_length=254)),
                ("note", models.CharField(blank=True, max_length=200, verbose_name="reason")),
            ],
            options={
                "verbose_name": "transfer",
                "verbose_name_plural": "transfers",
                "indexes": [
                    models.Index(
                        models.F("node"), condition=models.Q(("node__isnull", False)), name="transfer_of_node"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Entry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("micros", models.BigIntegerField(verbose_name="amount")),
                (
                    "account",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="entries",
                        to="credits.account",
                    ),
                ),
                (
                    "transfer",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="entries",
                        to="credits.transfer",
                    ),
                ),
            ],
            options={
                "verbose_name": "entry",
                "verbose_name_plural": "entries",
            },
        ),
        migrations.AddConstraint(
            model_name="account",
            constraint=models.UniqueConstraint(
                models.F("kind"), models.F("person"), name="account_of_person"
            ),
        ),
        migrations.AddConstraint(
            model_name="account",
            constraint=models.UniqueConstraint(
                models.F("kind"),
                condition=models.Q(("kind__in", ("operator", "outside"))),
                name="account_of_nobody",
            ),
        ),
        migrations.AddIndex(
            model_name="entry",
            index=models.Index(
                models.F("account"), models.F("id"), include=("micros",), name="entry_of_account"
            ),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.CheckConstraint(
                condition=models.Q(("micros", 0), _negated=True), name="entry_moves_something"
            ),
        ),
    ]
