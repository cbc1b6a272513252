import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """Both are instant: a new table, and a column whose default stays in the database (older processes may go on)."""

    dependencies = [("games", "0006_attempt_client_player")]

    operations = [
        migrations.CreateModel(
            name="CompactLog",
            fields=[
                (
                    "attempt",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="games.attempt",
                    ),
                ),
                ("packed", models.BinaryField()),
            ],
        ),
        migrations.AddField("attempt", "compacted", models.BooleanField(db_default=False, default=False)),
    ]
