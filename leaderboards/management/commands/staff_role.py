"""`manage.py staff_role NAME ROLE`: make somebody a moderator, head moderator or auditor, or take the role away."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from games.errors import GameError
from games.services import player_find
from leaderboards.moderation.roles import ROLES, role_set


class Command(BaseCommand):
    help = "Give an account a role at the moderators' desk, or none. It signs in at /admin/ with its own password."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="name or public id")
        parser.add_argument("role", choices=[*ROLES, "none"])

    def handle(self, *args: Any, **options: Any) -> None:
        role = None if options["role"] == "none" else options["role"]
        try:
            player = player_find(name=options["name"])
            role_set(player_id=player.pk, role=role)
        except GameError as refusal:
            raise CommandError(refusal.message) from refusal
        self.stdout.write(f"{player} has the role {role}." if role else f"{player} has no role.")
