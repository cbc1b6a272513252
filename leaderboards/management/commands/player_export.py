"""`manage.py player_export NAME`: all that is kept about a player, for who asks the operator instead of the page."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from games import clock
from games.errors import GameError
from games.services import player_find
from leaderboards.moderation.export import player_export


class Command(BaseCommand):
    help = "Write everything that is kept about a player and the player's bots as JSON, as /api/v1/account/export does."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="name or public id")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            player = player_find(name=options["name"])
        except GameError as refusal:
            raise CommandError(refusal.message) from refusal
        for piece in player_export(player_id=player.pk, now=clock.now()):
            self.stdout.write(piece, ending="")
        self.stdout.write("")
