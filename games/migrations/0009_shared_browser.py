import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """Instant: a new table, of which older processes know nothing."""

    dependencies = [("games", "0008_attempt_indexes")]

    operations = [
        migrations.CreateModel(
            name="SharedBrowser",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("first_at", models.DateTimeField()),
                ("at", models.DateTimeField()),
                (
                    "first",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "second",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["second"], name="shared_browser_of_second"),
                    models.Index(fields=["at"], name="shared_browser_age"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("first", "second"), name="shared_browser_once"),
                    models.CheckConstraint(
                        condition=models.Q(("first__lt", models.F("second"))), name="shared_browser_in_one_order"
                    ),
                ],
            },
        ),
    ]
