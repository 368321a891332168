from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("frontier", "0003_host_backoff_told_by")]

    operations = [
        migrations.AddField(
            model_name="lease", name="is_brought", field=models.BooleanField(db_default=False, default=False)
        ),
    ]
