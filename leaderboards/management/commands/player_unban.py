"""`manage.py player_unban NAME`: let a player back."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from games import clock
from games.errors import GameError
from games.services import player_find
from leaderboards.moderation.actions import player_unban


class Command(BaseCommand):
    help = "End a player's ban. Sessions and tokens that were not revoked work again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="name or public id")
        parser.add_argument("--reason", default="by command", help="for the log of moderators' actions")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            player = player_find(name=options["name"])
            player_unban(
                player_id=player.public_id,
                moderator_id=None,
                reason_class="other",
                reason=options["reason"],
                words="",
                now=clock.now(),
            )
        except GameError as refusal:
            raise CommandError(refusal.message) from refusal
        self.stdout.write(f"{player} may play again.")
