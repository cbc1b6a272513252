from django.apps import AppConfig
from django.db.models.signals import post_migrate


class LeaderboardsConfig(AppConfig):
    """Dailies, boards and standings, fed by the one signal of `games`."""

    name = "leaderboards"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from . import receivers  # noqa: F401  (connects attempt_finished)
        from .moderation.roles import groups_keep

        post_migrate.connect(groups_keep, sender=self)
