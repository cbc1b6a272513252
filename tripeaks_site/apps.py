import gc

from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps

from games.metrics import CACHES


class ModeratorAdminConfig(admin_apps.AdminConfig):
    """Django's admin with our own site."""

    default = False  # this module's own configuration is the other one
    default_site = "games.admin_site.ModeratorSite"


class TripeaksSiteConfig(AppConfig):
    """The site: settings, checks, URLs, servers and how they are started. Imports the others; nobody imports it."""

    name = "tripeaks_site"

    def ready(self) -> None:
        from django.conf import settings

        from . import checks  # noqa: F401  (registers the system checks)
        from .reporting import dsn_well_formed, start_reporting
        from .words import catalogue

        CACHES.watch("words", catalogue)
        if dsn_well_formed(settings.SENTRY_DSN):  # tripeaks.E006 names one that is not
            start_reporting(settings.SENTRY_DSN)
        # What is loaded by now stays: a collection in the middle of a request need not go through all of it again.
        gc.freeze()
        gc.enable()
