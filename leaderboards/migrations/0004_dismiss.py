from django.db import migrations, models


class Migration(migrations.Migration):
    """Choices are known to Django only: the database has nothing to do."""

    dependencies = [("leaderboards", "0003_fair_play")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    "moderatoraction",
                    "kind",
                    models.CharField(
                        choices=[
                            ("clear", "Clear"),
                            ("hold", "Hold"),
                            ("disqualify", "Disqualify"),
                            ("reinstate", "Reinstate"),
                            ("warn", "Warn"),
                            ("ban", "Ban"),
                            ("unban", "Unban"),
                            ("hide", "Hide"),
                            ("show", "Show"),
                            ("merge", "Merge"),
                            ("separate", "Separate"),
                            ("revert", "Revert"),
                            ("answer", "Answer"),
                            ("dismiss", "Dismiss"),
                        ],
                        max_length=10,
                    ),
                ),
            ]
        )
    ]
