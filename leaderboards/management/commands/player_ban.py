"""`manage.py player_ban NAME --reason …`: stop a player, and the player's bots, at once."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from games import clock
from games.errors import GameError
from games.services import player_find
from leaderboards.moderation.actions import player_ban
from leaderboards.moderation.models import ModeratorAction


class Command(BaseCommand):
    help = "Ban a player and the player's bots: their sockets close and nothing more is accepted from them."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="name or public id")
        parser.add_argument("--reason", required=True, help="for the log of moderators' actions")
        parser.add_argument(
            "--kind",
            default="other",
            choices=ModeratorAction.ReasonClass.values,
            help="what the player is told it is for",
        )
        parser.add_argument("--words", default="", help="words to the player, if any")
        parser.add_argument(
            "--until", help="end of the ban, ISO 8601 (UTC unless it says otherwise); without: for good"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        until: dt.datetime | None = None
        if options["until"]:
            try:
                until = dt.datetime.fromisoformat(options["until"])
            except ValueError:
                raise CommandError(f"--until is no ISO 8601 date or time: {options['until']!r}") from None
            until = until if until.tzinfo else until.replace(tzinfo=dt.UTC)
        try:
            player = player_find(name=options["name"])
            player_ban(
                player_id=player.public_id,
                moderator_id=None,
                reason_class=options["kind"],
                reason=options["reason"],
                words=options["words"],
                until=until,
                now=clock.now(),
            )
        except GameError as refusal:
            raise CommandError(refusal.message) from refusal
        self.stdout.write(f"{player} is banned {f'until {clock.iso(until)}' if until else 'for good'}.")
