"""The promises of the ledger, as triggers."""

from django.db import migrations

from ronda.database.named_sql import named_sql


class Migration(migrations.Migration):
    dependencies = [("credits", "0001_initial")]

    operations = [migrations.RunSQL(named_sql("ronda.credits", "ledger"), migrations.RunSQL.noop)]
