from django.db import migrations, models

# Of those known from before, what is kept of their comparisons counts.
FROM_VOTES = """
UPDATE trust_standing s SET agreed = (
    SELECT count(*) FROM jsonb_array_elements(s.votes) AS vote WHERE vote ->> 'mark' = 'passed')
"""
TRUSTED_BY_OTHERS = "UPDATE trust_standing SET state = 'new' WHERE state = 'trusted' AND agreed < 5"


class Migration(migrations.Migration):
    dependencies = [("trust", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="standing",
            name="agreed",
            field=models.BigIntegerField(
                default=0, verbose_name="confirmed by other people's answers in a row"
            ),
        ),
        migrations.RunSQL(FROM_VOTES, migrations.RunSQL.noop),
        migrations.RunSQL(TRUSTED_BY_OTHERS, migrations.RunSQL.noop),
    ]
