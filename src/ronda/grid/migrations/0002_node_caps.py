from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("grid", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="node",
            name="response_bytes",
            field=models.BigIntegerField(null=True, verbose_name="most bytes of an answer"),
        ),
        migrations.AddField(
            model_name="node",
            name="response_seconds",
            field=models.FloatField(null=True, verbose_name="most seconds for an answer"),
        ),
    ]
