from django.apps import AppConfig


class GamesConfig(AppConfig):
    """Players, credentials, deals, attempts and moves; the rules engine and the way of one move."""

    name = "games"
    default_auto_field = "django.db.models.BigAutoField"
