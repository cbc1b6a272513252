"""Entries are vacuumed by how many are new, not by their share of the table.

A rank is counted in the index alone only where vacuum has found a page visible to all. With PostgreSQL's share of a
fifth a table of ten million entries waits for two million: today's board would always be counted row by row.
"""

from __future__ import annotations

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("leaderboards", "0007_judgement_naming")]

    operations = [
        migrations.RunSQL(
            "ALTER TABLE leaderboards_entry SET ("
            "autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 20000)",
            migrations.RunSQL.noop,
        ),
    ]
