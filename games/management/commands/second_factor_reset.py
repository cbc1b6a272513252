"""`manage.py second_factor_reset NAME`: for a moderator whose phone and backup codes are lost."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from games.errors import GameError
from games.services import player_find
from games.services.second_factor import second_factor_reset


class Command(BaseCommand):
    help = (
        "Forget a moderator's phone and backup codes, and end the sessions of the admin. With the password alone the"
        " account sets up a new phone: make sure who asks."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="name or public id")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            player = player_find(name=options["name"])
            had = second_factor_reset(player_id=player.pk)
        except GameError as refusal:
            raise CommandError(refusal.message) from refusal
        said = "has no second factor any more" if had else "had no second factor"
        self.stdout.write(f"{player} {said}; the next sign-in sets one up.")
