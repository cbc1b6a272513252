from django.apps import AppConfig


class TripeaksSiteConfig(AppConfig):
    """The site: settings, checks, URLs, servers and how they are started. Imports the others; nobody imports it."""

    name = "tripeaks_site"

    def ready(self) -> None:
        from . import checks  # noqa: F401  (registers the system checks)
