"""`manage.py prepare_daily`: deal and commit the dailies of today and the week ahead. Requests do the same by themselves."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from games import clock
from leaderboards.services import dailies_prepare


class Command(BaseCommand):
    help = "Prepare the dailies of today and TRIPEAKS_DAILY_DAYS_AHEAD dates after it, and publish their commitments."

    def handle(self, *args: Any, **options: Any) -> None:
        made = dailies_prepare(now=clock.now())
        if options["verbosity"] > 0:
            for daily in made:
                self.stdout.write(f"{daily}: {daily.commitment}{' (late)' if daily.late else ''}")
            self.stdout.write(f"{len(made)} dailies prepared.")
