import django.contrib.postgres.indexes
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    """An index made beside running games."""

    atomic = False
    dependencies = [("leaderboards", "0006_judgement_linking")]

    operations = [
        # A build that was stopped leaves its index behind, without use.
        migrations.RunSQL("DROP INDEX CONCURRENTLY IF EXISTS judgement_naming", migrations.RunSQL.noop),
        AddIndexConcurrently(
            "judgement",
            django.contrib.postgres.indexes.GinIndex(
                condition=models.Q(
                    ("signals__contains", [{"group": "account"}]),
                    models.Q(("signals__contains", [{"forgotten": True}]), _negated=True),
                ),
                fastupdate=False,
                fields=["signals"],
                name="judgement_naming",
                opclasses=["jsonb_path_ops"],
            ),
        ),
    ]
