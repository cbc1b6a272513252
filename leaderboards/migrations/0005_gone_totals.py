from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [("leaderboards", "0004_dismiss")]

    operations = [
        migrations.CreateModel(
            name="GoneTotals",
            fields=[
                ("day", models.DateField(primary_key=True, serialize=False)),
                ("checked", models.PositiveIntegerField(default=0)),
                ("flagged", models.PositiveIntegerField(default=0)),
                ("held", models.PositiveIntegerField(default=0)),
                ("disqualified", models.PositiveIntegerField(default=0)),
                ("appeals", models.PositiveIntegerField(default=0)),
            ],
        ),
    ]
