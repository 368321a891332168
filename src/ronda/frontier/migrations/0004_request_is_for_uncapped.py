from django.db import migrations, models

# The claim as it was before it knew of caps: with another list of parameters it would stay beside the new one.
FORMER_CLAIM = """
DO $$
DECLARE
    found regprocedure;
BEGIN
    FOR found IN SELECT oid::regprocedure FROM pg_proc WHERE proname = 'frontier_claim' LOOP
        EXECUTE 'DROP FUNCTION ' || found;
    END LOOP;
END $$
"""


class Migration(migrations.Migration):
    dependencies = [("frontier", "0003_host_backoff_told_by")]

    operations = [
        migrations.AddField(
            model_name="request",
            name="is_for_uncapped",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddIndex(
            model_name="request",
            index=models.Index(
                models.F("not_before"),
                condition=models.Q(("is_for_uncapped", True)),
                name="request_for_uncapped",
            ),
        ),
        migrations.RunSQL(FORMER_CLAIM, migrations.RunSQL.noop),
    ]
