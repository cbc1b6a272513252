from django.apps import AppConfig


class LeaderboardsConfig(AppConfig):
    """Dailies, boards and standings, fed by the one signal of `games`."""

    name = "leaderboards"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from . import receivers  # noqa: F401  (connects attempt_finished)
