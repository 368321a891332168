"""The collections and topics of the archive document exist from the start."""

from django.db import migrations

from ronda.archive.vocabulary import COLLECTIONS, TOPICS


def fill(apps, schema_editor):
    collection, topic = apps.get_model("archive", "Collection"), apps.get_model("archive", "Topic")
    collection.objects.bulk_create(collection(slug=slug, name=name) for slug, name in COLLECTIONS.items())
    topic.objects.bulk_create(topic(code=code, name=name) for code, name in TOPICS.items())


class Migration(migrations.Migration):
    dependencies = [("archive", "0001_initial")]

    operations = [
        migrations.RunPython(fill, migrations.RunPython.noop),
        # Texts and their words stand apart from their rows: a search reads many rows, and the words of few.
        migrations.RunSQL("ALTER TABLE archive_text SET (toast_tuple_target = 128)", migrations.RunSQL.noop),
    ]
