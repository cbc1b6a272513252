from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    """An index made beside running games."""

    atomic = False
    dependencies = [("leaderboards", "0005_gone_totals")]

    operations = [
        # A build that was stopped leaves its index behind, without use.
        migrations.RunSQL("DROP INDEX CONCURRENTLY IF EXISTS judgement_linking", migrations.RunSQL.noop),
        AddIndexConcurrently(
            "judgement",
            models.Index(
                condition=models.Q(
                    ("signals__contains", [{"group": "account"}]),
                    models.Q(("signals__contains", [{"forgotten": True}]), _negated=True),
                ),
                fields=["judged_at"],
                name="judgement_linking",
            ),
        ),
    ]
