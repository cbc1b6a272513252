import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('games', '0005_results_of_deal'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='attemptclient',
            name='attempt_client_network',
        ),
        migrations.AddField(
            model_name='attemptclient',
            name='player',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.RunSQL(
            'UPDATE games_attemptclient SET player_id = a.player_id FROM games_attempt a WHERE a.id = attempt_id',
            migrations.RunSQL.noop,
        ),
        migrations.AlterField(
            model_name='attemptclient',
            name='player',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AlterField(
            model_name='attemptclient',
            name='credential',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='games.credential'),
        ),
        migrations.AddIndex(
            model_name='attemptclient',
            index=models.Index(fields=['player', 'network', 'at'], name='attempt_client_of_player'),
        ),
        migrations.AddIndex(
            model_name='attemptclient',
            index=models.Index(fields=['network', 'player', 'at'], name='attempt_client_of_network'),
        ),
    ]
