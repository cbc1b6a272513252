"""`manage.py purge_deleted`: delete what deleted accounts have left, once its time is over. To be run daily."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from games import clock
from leaderboards.services import accounts_purge


class Command(BaseCommand):
    help = "Delete attempts and moves of accounts deleted more than TRIPEAKS_DELETED_MOVES_DAYS ago."

    def handle(self, *args: Any, **options: Any) -> None:
        purged = accounts_purge(now=clock.now())
        days = settings.DELETED_MOVES_DAYS
        self.stdout.write(f"{purged} attempts of accounts deleted more than {days} days ago are gone.")
