from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("frontier", "0004_request_is_for_uncapped")]

    operations = [
        migrations.AddField(
            model_name="lease", name="is_brought", field=models.BooleanField(db_default=False, default=False)
        ),
    ]
