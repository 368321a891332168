"""How the hot tables are kept: room in a page for a host's next state, and early clean-up where rows come and go."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("frontier", "0001_initial")]

    operations = [
        migrations.RunSQL(
            [
                "ALTER TABLE frontier_host SET (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05)",
                "ALTER TABLE frontier_request SET (autovacuum_vacuum_scale_factor = 0.05)",
                "ALTER TABLE frontier_lease SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)",
            ],
            migrations.RunSQL.noop,
        )
    ]
