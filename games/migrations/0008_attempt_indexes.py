from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    """Indexes made beside running games."""

    atomic = False
    dependencies = [("games", "0007_compact_logs")]

    operations = [
        # A build that was stopped leaves its index behind, without use.
        migrations.RunSQL("DROP INDEX CONCURRENTLY IF EXISTS attempt_stuck_idle", migrations.RunSQL.noop),
        AddIndexConcurrently(
            "attempt",
            models.Index(
                condition=models.Q(("closed_at", None), ("outcome", "stuck")),
                fields=["finished_at"],
                name="attempt_stuck_idle",
            ),
        ),
        migrations.RunSQL("DROP INDEX CONCURRENTLY IF EXISTS attempt_to_compact", migrations.RunSQL.noop),
        AddIndexConcurrently(
            "attempt",
            models.Index(
                condition=models.Q(("closed_at__isnull", False), ("compacted", False)),
                fields=["closed_at", "id"],
                name="attempt_to_compact",
            ),
        ),
        RemoveIndexConcurrently("attempt", "attempt_stuck_open"),
        # Room in each page for the moves to come (HOT updates).
        migrations.RunSQL("ALTER TABLE games_attempt SET (fillfactor = 85)", migrations.RunSQL.noop),
    ]
