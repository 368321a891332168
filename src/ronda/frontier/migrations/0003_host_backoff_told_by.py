from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("frontier", "0002_storage")]

    operations = [
        migrations.AddField(
            model_name="host", name="backoff_told_by", field=models.BigIntegerField(null=True)
        ),
        migrations.AddIndex(
            model_name="lease",
            index=models.Index(
                models.F("owner"), condition=models.Q(("is_trusted", False)), name="lease_unproven"
            ),
        ),
    ]
